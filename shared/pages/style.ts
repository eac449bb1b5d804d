import { createHash } from 'node:crypto';

/** A style as it stands in a page. */
export interface Style {
  text: string;
  /** As a content security policy names it (CSP Level 3, section 2.3.1). */
  hash: string;
}

export const styleOf = (text: string): Style => ({
  text,
  hash: `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
});

/**
 * The style of every page. Colours have a contrast of 4.5 to 1 at least (WCAG 2.2, criterion 1.4.3), borders of 3 to 1
 * (1.4.11); what can be pressed is 44 pixels high. Sides are named `inline-start` and `inline-end`, so that a page from
 * right to left is mirrored.
 */
export const STYLE = styleOf(`
:root{color-scheme:light dark;--text:#1d2429;--soft:#4f5b64;--ground:#f4f6f7;--card:#fff;--line:#7a868f;--main:#0b5d56;--on-main:#fff}
@media (prefers-color-scheme:dark){:root{--text:#eef2f4;--soft:#b4c0c8;--ground:#12181c;--card:#1b2328;--line:#84919a;--main:#6fd3c7;--on-main:#06211f}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:1.0625rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main,header,footer{max-width:46rem;margin-inline:auto;padding:1rem}
header{display:flex;align-items:center;gap:.75rem;font-weight:600}
header img{max-height:3rem;max-width:10rem;background:#fff;border-radius:.25rem}
main{background:var(--card);border-radius:.75rem;padding:1.25rem}
main:first-child{margin-block-start:1rem}
footer{color:var(--soft);font-size:.9375rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .75rem}
p{margin:0 0 1rem}
form{display:flex;flex-wrap:wrap;gap:.75rem;margin-block-start:1.5rem}
button,.button{display:inline-block;min-height:2.75rem;padding:.625rem 1.25rem;border:2px solid var(--main);border-radius:.5rem;background:var(--main);color:var(--on-main);font:inherit;font-weight:600;text-decoration:none;cursor:pointer}
.second{background:transparent;color:var(--main)}
button:focus-visible,a:focus-visible{outline:3px solid var(--text);outline-offset:3px}
.note{border-inline-start:.25rem solid var(--line);padding-inline-start:.75rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:.375rem 1rem;margin:0 0 1.25rem}
dt{color:var(--soft)}
dd{margin:0}
.links{display:flex;flex-wrap:wrap;gap:.75rem}
object{display:none}
@media (min-width:48rem){main{margin-block-end:1rem}object{display:block;width:100%;height:80vh;margin-block-start:1.25rem;border:1px solid var(--line)}}
`);
