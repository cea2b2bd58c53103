"""Words as treebanks spell them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import quick
from weft.corpora.trees.spelling import ESCAPES, escapes_in, spelt


@pytest.mark.parametrize(
    ("words", "treebank", "expected"),
    [
        ("( a )", "-LRB- a -RRB-", "-LRB- a -RRB-"),
        ("[ { a } ]", "-LRB- -LSB- -RSB- -LCB- -RCB-", "-LSB- -LCB- a -RCB- -RSB-"),
        # What the treebank does not have stays as it is.
        ("( a* )", "-LRB-", "-LRB- a* )"),
        # Round brackets are the nearest.
        ("[ { a } ]", "-LRB- -RRB- -LCB-", "-LRB- -LCB- a -RRB- -RRB-"),
        ("[ a }", "( a", "( a }"),
        ("( a )", "( ) a", "( a )"),
        ("( a )", "( ) -LRB- -RRB-", "( a )"),
        ('" a " , " b "', "`` ''", "`` a '' , `` b ''"),
        ('" a "', '" a', '" a "'),
        ('" a "', "'' a", "'' a ''"),
        ("“ a ” n’t ‘", "`` '' n't `", "`` a '' n't `"),
        ("1/2 a/b *", r"1\/2 \*", r"1\/2 a\/b \*"),
        (r"1\/2 1/2", r"1\/2", r"1\/2 1\/2"),
        ("1/2 *", "and/or", "1/2 *"),
        # The other way round, for treebanks that were read as they are meant.
        (r"-LRB- `` 1\/2 -RRB-", '( " 1/2', '( " 1/2 -RRB-'),
        ("option(s) :-)", "-LRB- -RRB-", "option-LRB-s-RRB- :--RRB-"),
    ],
)
def test_words_as_a_treebank_has_them(words: str, treebank: str, expected: str) -> None:
    known = set(treebank.split())
    assert " ".join(spelt(words.split(), escapes_in(known), known)) == expected


@quick
@given(
    words=st.lists(st.text("ab()[]{}/*\\\"'`-LRBS", min_size=1)),
    known=st.sets(st.sampled_from(["a", "(", "-LRB-", '"', "``", "''", "/", r"\/", "LRB"])),
)
def test_known_words_stay_and_so_does_all_that_a_treebank_has_no_way_to_spell(
    words: list[str], known: set[str]
) -> None:
    found = spelt(words, ESCAPES, known)
    assert len(found) == len(words)
    assert all(one == other for one, other in zip(words, found, strict=True) if one in known)
    assert spelt(words, (), frozenset()) == tuple(words)
