// How the report looks as a page: light and dark as the reader's system is, and down to 360 pixels.

export const HTML_STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--dim:#59636e;--paper:#fff;--card:#f6f8fa;--line:#d1d9e0;--link:#0550ae;
--done:#1a7f37;--failed:#c21c2c;--warn:#8a5a00;--run:#0969da}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--dim:#9aa5b1;--paper:#0d1117;--card:#161b22;--line:#30363d;
--link:#79b8ff;--done:#4ac26b;--failed:#ff8182;--warn:#e3b341;--run:#6cb6ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:76rem;padding:1rem;font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
h1{font-size:1.4rem;margin:.2rem 0}h2{font-size:1.1rem;margin:1.8rem 0 .5rem}
a{color:var(--link)}.dim{color:var(--dim)}
code,.mono{font:13px/1.45 ui-monospace,monospace;overflow-wrap:anywhere}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--paper);padding:.4rem .8rem}
.totals{display:flex;flex-wrap:wrap;gap:.5rem;padding:0;margin:.8rem 0;list-style:none}
.totals li{border:1px solid var(--line);background:var(--card);border-radius:6px;padding:.3rem .7rem}
.totals b{font-size:1.1rem;margin-right:.3rem}
fieldset{border:1px solid var(--line);border-radius:6px;margin:.5rem 0;display:flex;flex-wrap:wrap;gap:.2rem 1rem}
details{border:1px solid var(--line);border-radius:6px;margin:.4rem 0;background:var(--card)}
summary{cursor:pointer;padding:.5rem .8rem;overflow-wrap:anywhere}details>div{padding:0 .8rem .6rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.3rem 0}
dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.3rem .7rem;border-bottom:1px solid var(--line);vertical-align:top}td.n,th.n{text-align:right}
.done{color:var(--done)}.failed,.refused,.error{color:var(--failed)}.interrupted,.parked,.warning{color:var(--warn)}.running{color:var(--run)}
.state{font-weight:600;margin-right:.5rem}ul.which{columns:14rem;padding-left:1.2rem;margin:.3rem 0}
@media (max-width:30rem){body{padding:.6rem}dl{grid-template-columns:1fr}dt{margin-top:.3rem}th,td{padding:.3rem .4rem}}
@media print{details>div{display:block}.skip,fieldset{display:none}}
`;
