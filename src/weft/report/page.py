"""The look of pages: what all share, and those that are stepped through.

Without JavaScript, all steps stand one below the other. Pages that are read from top to bottom are
in :mod:`weft.report.document`.
"""

from __future__ import annotations

BASE = """
:root {
  color-scheme: light dark;
  --page: #ffffff; --text: #1a1a1a; --faint: #5c5c5c; --line: #c9c9c9; --soft: #f1f3f5;
  --label: #1d5f9e; --made: #1d5f9e; --rival: #80858e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #16181c; --text: #e8e8e8; --faint: #a9adb5; --line: #444950; --soft: #23272e;
    --label: #7fb8ee; --made: #4f9be0; --rival: #7b818c;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.35rem; margin: 0 0 .5rem; }
h2 { font-size: 1.15rem; margin: 0 0 .5rem; }
h3 { font-size: .9rem; margin: 1rem 0 .25rem; color: var(--faint); font-weight: 600; }
p { margin: .25rem 0; }
header p, .total { color: var(--faint); }
nav {
  position: sticky; top: 0; display: flex; gap: .75rem; align-items: center; padding: .5rem 0;
  background: var(--page); border-bottom: 1px solid var(--line); z-index: 1;
}
nav[hidden], .stepped .step:not(.shown) { display: none; }
button {
  font: inherit; min-height: 2.75rem; padding: 0 1rem; border: 1px solid var(--line);
  border-radius: .4rem; background: var(--soft); color: inherit; cursor: pointer;
}
button:disabled { opacity: .45; cursor: default; }
button:focus-visible { outline: 3px solid var(--made); }
.steps { list-style: none; margin: 0; padding: 0; }
.step { padding: 1rem 0; border-bottom: 1px solid var(--line); }
.stack { display: flex; align-items: flex-start; gap: .5rem; overflow-x: auto; padding: .25rem 0; }
.item { flex: none; border: 1px solid var(--line); border-radius: .4rem; background: var(--soft); }
.item.top { border: 2px solid var(--made); }
.empty { padding: .5rem 1rem; color: var(--faint); }
"""
"""What all pages share: colours by the reader's wish, text, buttons."""

STYLE = (
    BASE
    + """
svg { display: block; }
svg rect { fill: none; }
svg path { stroke: var(--faint); }
svg text { fill: var(--text); }
svg text.label { fill: var(--label); }
.bars { list-style: none; margin: 0; padding: 0; }
.bars li {
  display: grid; grid-template-columns: minmax(7rem, 14rem) 1fr 5rem; gap: .5rem;
  align-items: center; padding: .1rem 0;
}
.track { height: .9rem; background: var(--soft); border-radius: .2rem; overflow: hidden; }
.bar { display: block; height: 100%; min-width: 1px; background: var(--rival); }
.made .name { font-weight: 700; }
.made .bar { background: var(--made); }
.rest { color: var(--faint); }
.share { text-align: right; font-variant-numeric: tabular-nums; }
.tree { overflow-x: auto; }
@media (max-width: 30rem) {
  .bars li { grid-template-columns: 1fr 4.5rem; }
  .bars .track { grid-column: 1 / -1; grid-row: 2; }
}
"""
)
"""The style sheet of pages that are stepped through."""

SCRIPT = """
"use strict";
(function () {
  const steps = Array.from(document.querySelectorAll(".step"));
  const nav = document.querySelector("nav");
  const [back, on] = nav.querySelectorAll("button");
  const where = document.getElementById("where");
  let now = 0;
  function show(place) {
    now = Math.max(0, Math.min(steps.length - 1, place));
    steps.forEach((step, number) => step.classList.toggle("shown", number === now));
    for (const wide of steps[now].querySelectorAll(".stack")) wide.scrollLeft = wide.scrollWidth;
    where.textContent = (now + 1) + " / " + steps.length;
    back.disabled = now === 0;
    on.disabled = now === steps.length - 1;
  }
  back.addEventListener("click", () => show(now - 1));
  on.addEventListener("click", () => show(now + 1));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const places = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: steps.length - 1 };
    if (!Object.hasOwn(places, event.key)) return;
    event.preventDefault();
    show(places[event.key]);
  });
  nav.hidden = false;
  document.documentElement.classList.add("stepped");
  show(0);
})();
"""
"""Shows one element of class ``step`` at a time, by the buttons of ``nav`` and by arrow keys; of a
stack that is too wide, its top."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def stepped_page(title: str, body: str) -> str:
    """Return a page of its own, whose steps are shown one at a time.

    Args:
        title: Its title, escaped.
        body: HTML, with a ``nav`` of two buttons and an element of the id ``where``.
    """
    return whole_page(title, body, STYLE, SCRIPT)


def whole_page(title: str, body: str, style: str, script: str) -> str:
    """Return a page that needs no other file and no network.

    Args:
        title: Its title, escaped.
        body: HTML.
        style: Its style sheet.
        script: What runs when it has been shown.
    """
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
<script>{script}</script>
</body>
</html>
"""
