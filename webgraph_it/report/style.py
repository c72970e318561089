"""The look of our HTML pages: one style sheet, light or dark by the reader's preference, and the frame of a page.

Guarantees: a page is one file, makes no request (its content security policy forbids it) and
runs no script. Series colours have a contrast of at least 3:1 with their background in both themes. Colour is never
the only way to tell series apart: names, dashes and values on hover do it, too.
"""

from webgraph_it.report.svg import Markup, element

STYLE = """
:root { color-scheme: light dark;
  --page: #f6f7f9; --panel: #ffffff; --ink: #15202b; --soft: #55616e; --rule: #dfe3e8; --grid: #e9ecf0;
  --shade: #00000033; --accent: #0b63b5; --tint: #e6f0fa; --tip: #15202b; --tip-ink: #ffffff;
  --c1: #0b63b5; --c2: #c2410c; --c3: #0f7f6c; --c4: #7a3fb0; --c5: #a06a00; --c6: #6b7683; }
@media (prefers-color-scheme: dark) { :root {
  --page: #0f151b; --panel: #18212a; --ink: #e8edf2; --soft: #a3afbb; --rule: #2b3743; --grid: #243039;
  --shade: #00000099; --accent: #6db3f2; --tint: #1d3247; --tip: #e8edf2; --tip-ink: #10161c;
  --c1: #6db3f2; --c2: #ff9a62; --c3: #46cdb2; --c4: #c79bf2; --c5: #e8bb4f; --c6: #93a0ad; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); line-height: 1.5;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans",
  sans-serif; }
header, main, footer { max-width: 1180px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 36px; }
h1 { font-size: clamp(1.7rem, 4.5vw, 2.5rem); line-height: 1.15; letter-spacing: -0.02em; margin: 0 0 6px; }
.lead { color: var(--soft); margin: 0 0 18px; max-width: 72ch; }
nav { position: sticky; top: 0; z-index: 3; background: var(--page); border-bottom: 1px solid var(--rule); }
nav div { max-width: 1180px; margin: 0 auto; padding: 0 20px; display: flex; gap: 4px; overflow-x: auto;
  scrollbar-width: none; }
nav a { color: var(--soft); text-decoration: none; padding: 12px 10px; white-space: nowrap;
  font-size: .92rem; }
nav a:first-child { margin-left: -10px; }
nav a:hover, nav a:focus-visible { color: var(--accent); }
section { padding: 34px 0 6px; scroll-margin-top: 40px; }
h2 { font-size: 1.4rem; letter-spacing: -0.01em; margin: 0 0 4px; }
h3 { font-size: 1rem; margin: 0 0 2px; }
section > p { color: var(--soft); margin: 0 0 16px; max-width: 78ch; }
.tiles { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr));
  margin: 0 0 16px; }
.tile { background: var(--panel); border: 1px solid var(--rule); border-radius: 12px; padding: 14px 16px; }
.tile b { display: block; font-size: 1.55rem; line-height: 1.2; letter-spacing: -0.02em; font-weight: 650; }
.tile span { color: var(--soft); font-size: .88rem; }
.cards { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr));
  margin: 0 0 16px; }
.card { background: var(--panel); border: 1px solid var(--rule); border-radius: 12px; padding: 16px 18px;
  min-width: 0; }
.card p { color: var(--soft); font-size: .88rem; margin: 0 0 10px; }
.wide { grid-column: 1 / -1; }
.scroll { overflow-x: auto; }
.wider { container-type: inline-size; }
.wider .hint { margin: 0; overflow: hidden;
  height: clamp(0px, (var(--natural) - 100cqw) * 1000, 1.8em); }
.wider .scroll { background: linear-gradient(to right, var(--panel) 30%, transparent) 0 0 local,
  linear-gradient(to left, var(--panel) 30%, transparent) 100% 0 local,
  linear-gradient(to right, var(--shade), transparent) 0 0 scroll,
  linear-gradient(to left, var(--shade), transparent) 100% 0 scroll;
  background-repeat: no-repeat; background-size: 48px 100%, 48px 100%, 16px 100%, 16px 100%; }
.scroll .chart { width: calc(var(--natural) * 1.35); min-width: var(--natural); max-width: 100%;
  margin: 0 auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: .82rem; }
th, td { padding: 6px 10px 6px 0; border-bottom: 1px solid var(--rule); vertical-align: baseline; }
tr:last-child td { border-bottom: 0; }
td.number, th.number { text-align: right; white-space: nowrap; }
td.number:first-child { width: 2.4em; }
td span { white-space: nowrap; } td.name span { white-space: normal; }
td.name { overflow-wrap: anywhere; }
.host, .host span { display: inline-block; max-width: 100%; white-space: nowrap; }
.host { white-space: normal; } .host span { overflow-wrap: anywhere; }
td small { color: var(--soft); border: 1px solid var(--rule); border-radius: 9px; padding: 0 7px;
  margin-left: 6px; white-space: nowrap; }
td.name a { color: inherit; text-decoration: none; }
td.name a:hover, td.name a:focus-visible { color: var(--accent); text-decoration: underline; }
.key { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 6px;
  background: currentColor; }
.key.limit { height: 0; width: 16px; border-radius: 0; background: none;
  border-top: 2px dashed var(--soft); vertical-align: 4px; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; }
.tabs > input { position: absolute; opacity: 0; pointer-events: none; }
.tabs > label { display: inline-block; padding: 5px 12px; border-radius: 16px; cursor: pointer;
  color: var(--soft);
  font-size: .88rem; margin: 0 2px 8px 0; border: 1px solid transparent; }
.tabs > label:hover { color: var(--accent); }
.tabs > input:checked + label { background: var(--tint); color: var(--accent); font-weight: 600; }
.tabs > input:focus-visible + label { border-color: var(--accent); }
.tabs > div { display: none; }
.tabs > input:nth-of-type(1):checked ~ div:nth-of-type(1),
  .tabs > input:nth-of-type(2):checked ~ div:nth-of-type(2),
.tabs > input:nth-of-type(3):checked ~ div:nth-of-type(3),
  .tabs > input:nth-of-type(4):checked ~ div:nth-of-type(4),
.tabs > input:nth-of-type(5):checked ~ div:nth-of-type(5) { display: block; }
footer { color: var(--soft); font-size: .86rem; padding-top: 26px; padding-bottom: 40px; }
code { font: .92em ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.chart { display: block; width: 100%; max-width: 500px; height: auto; margin: 0 auto; overflow: visible; }
.chart text { font-size: 12px; fill: var(--ink); }
.chart .tick, .chart .label { fill: var(--soft); }
.chart .tick { font-size: 11.5px; font-variant-numeric: tabular-nums; }
.grid { stroke: var(--grid); } .axis { stroke: var(--soft); stroke-opacity: .6; }
.series-1 { color: var(--c1); } .series-2 { color: var(--c2); } .series-3 { color: var(--c3); }
.series-4 { color: var(--c4); } .series-5 { color: var(--c5); } .series-6 { color: var(--c6); }
.chart .line { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round;
  stroke-linecap: round; }
.chart .line.limit { stroke: var(--soft); stroke-width: 1.6; stroke-dasharray: 6 4; }
.chart .line.fit { stroke: var(--c2); stroke-dasharray: 7 4; }
.chart .start { stroke: var(--c2); stroke-opacity: .5; stroke-dasharray: 2 4; }
.chart .fit-label { fill: var(--c2); font-weight: 600; paint-order: stroke; stroke: var(--panel);
  stroke-width: 5px; }
.chart .area { fill: currentColor; fill-opacity: .13; }
.chart .dot { fill: currentColor; fill-opacity: .72; }
.chart .bar { fill: currentColor; }
.chart .value { fill: var(--soft); font-variant-numeric: tabular-nums; }
.chart circle.limit { fill: var(--soft); }
.shown circle { fill: currentColor; stroke: var(--panel); stroke-width: 1.5; } .guide {
  stroke: var(--soft); stroke-opacity: .5; }
.strip { fill: transparent; stroke: none; pointer-events: all; }
.tip, .shown { visibility: hidden; pointer-events: none; }
.hit:hover .tip, .hit:hover .shown { visibility: visible; }
.tip rect { fill: var(--tip); } .chart .tip text { fill: var(--tip-ink); }
.part { stroke: var(--panel); stroke-width: 2; fill: currentColor; }
.part.core { color: var(--c1); } .part.in { color: var(--c3); } .part.out { color: var(--c2); }
.part.tube { color: var(--c5); } .part.tendril { color: var(--c4); } .part.disconnected {
  color: var(--c6); }
.key.core { color: var(--c1); } .key.in { color: var(--c3); } .key.out { color: var(--c2); }
.key.tube { color: var(--c5); } .key.tendril { color: var(--c4); } .key.disconnected { color: var(--c6); }
.string { fill: none; stroke: var(--soft); stroke-opacity: .45; stroke-width: 1.5; }
.chart .on-part { fill: var(--panel); font-weight: 650; } .chart .part-name { font-weight: 600; }
.cell { fill: var(--c1); } .cell.own { fill: var(--c6); } .cell.empty { fill: var(--grid);
  fill-opacity: .55; }
@media (max-width: 560px) { header, main, footer, nav div { padding-left: 14px; padding-right: 14px; }
  .card { padding: 14px 12px; } .tiles { grid-template-columns: repeat(2, 1fr); } .tile b {
  font-size: 1.35rem; }
  .tile { padding: 11px 12px; } .hide-narrow { display: none; } .chart text { font-size: 14px; }
  .chart .tick { font-size: 13.5px; } .scroll .chart text { font-size: 12px; }
  .named thead { display: none; }
  .named tr { display: flex; flex-wrap: wrap; gap: 0 14px; padding: 6px 0; border-bottom: 1px solid var(--rule); }
  .named td { border: 0; padding: 0; } .named td.name { flex: 1 1 calc(100% - 4em); min-width: 0; }
  .named td.number { color: var(--soft); font-size: .82rem; }
  .named td.number:first-child + td.name ~ td.number { margin-left: calc(2.4em + 14px); }
  .named td.number[data-label]::before { content: attr(data-label) " "; } }
@media print { nav { display: none; } .card, .tile { break-inside: avoid; } }
"""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def document(title: str, *body: object) -> str:
    """A whole page."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", Markup(STYLE)),
    )
    return f"<!doctype html>\n{element('html', head, element('body', *body), lang='en')}\n"
