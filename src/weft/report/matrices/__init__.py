"""Attribute–value matrices drawn: as SVG, as LaTeX, and on a page beside their trees."""

from weft.report.matrices.latex import avm_latex as avm_latex
from weft.report.matrices.latex import latex_document as latex_document
from weft.report.matrices.page import Analysis as Analysis
from weft.report.matrices.page import analyses_page as analyses_page
from weft.report.matrices.svg import avm_svg as avm_svg
from weft.report.matrices.svg import linked_svg as linked_svg
from weft.report.matrices.svg import tree_of_avms_svg as tree_of_avms_svg
from weft.report.matrices.text import linked_text as linked_text
