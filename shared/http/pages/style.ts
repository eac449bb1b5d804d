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
body{margin:0;background:var(--ground);color:var(--text);font:1.0625rem/1.5 system-ui,sans-serif;overflow-wrap:break-word}
bdi,dd{overflow-wrap:anywhere}
main,header,footer{max-width:46rem;margin-inline:auto;padding:1rem}
header{display:flex;align-items:center;gap:.75rem;font-weight:600}
header img{max-height:3rem;max-width:10rem;background:#fff;border-radius:.25rem}
main{background:var(--card);border-radius:.75rem;padding:1.25rem}
main:first-child{margin-block-start:1rem}
footer{color:var(--soft);font-size:.9375rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .75rem}
p{margin:0 0 1rem}
form{display:flex;flex-wrap:wrap;gap:.75rem;margin-block-start:1.5rem}
button,.button{display:inline-block;min-height:2.75rem;padding:.625rem 1.25rem;border:2px solid var(--main);border-radius:.5rem;background:var(--main);color:var(--on-main);font:inherit;font-weight:600;text-decoration:none;overflow-wrap:normal;cursor:pointer}
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

/**
 * The style of forms with fields, beside that of every page. What can be pressed is at least 24 pixels high, and mostly
 * 44 (WCAG 2.2, criterion 2.5.8). A colour never says anything alone.
 */
export const FIELD_STYLE = styleOf(`
:root{--wrong:#a4262c;--wash:#eef3f3}
@media (prefers-color-scheme:dark){:root{--wrong:#ffb3ad;--wash:#243038}}
header{flex-wrap:wrap}
header bdi{flex:1 1 auto;min-width:0}
.language{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem;font-weight:400;font-size:.9375rem}
.language label{white-space:nowrap}
.language select{width:auto;min-height:2.5rem;padding-block:.25rem}
.language button{min-height:2.5rem;padding:.25rem .75rem}
#report,#photo{display:block;margin:0}
#photo{margin-block-end:2rem}
.field,fieldset{margin:0 0 1.5rem;padding:0;border:0;min-width:0}
.label,legend{display:block;padding:0;margin:0 0 .375rem;font-weight:600}
.more{font-weight:400;color:var(--soft)}
.help{display:block;margin:0 0 .5rem;color:var(--soft);font-size:.9375rem}
input,select,textarea{display:block;width:100%;min-height:2.75rem;padding:.5rem .75rem;border:1px solid var(--line);border-radius:.5rem;background:var(--card);color:var(--text);font:inherit}
textarea{min-height:8rem;resize:vertical}
input[type=radio],input[type=checkbox]{flex:none;width:1.5rem;height:1.5rem;min-height:0;margin:0;accent-color:var(--main)}
input[type=date]{max-width:14rem}
input[inputmode=decimal]{max-width:14rem}
input:focus-visible,select:focus-visible,textarea:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--text);outline-offset:2px}
.choice{display:flex;align-items:center;gap:.75rem;min-height:2.75rem;padding:.25rem 0}
.part{margin:0 0 1.5rem;padding:1.25rem 0 0;border-block-start:1px solid var(--line)}
h2{font-size:1.1875rem;line-height:1.3;margin:0 0 .5rem}
.lead{color:var(--soft)}
.wrong{display:block;margin:0 0 .375rem;color:var(--wrong);font-weight:600}
[aria-invalid=true]{border:2px solid var(--wrong)}
.problems,.notice{margin:0 0 1.5rem;padding:1rem 1.25rem;border:2px solid var(--wrong);border-radius:.5rem}
.notice{border-color:var(--main);background:var(--wash)}
.problems ul{margin:0;padding-inline-start:1.25rem}
.problems a,.more-link{color:inherit;display:inline-block;min-height:1.5rem}
.problems p:last-child,.notice p:last-child{margin:0}
.shots{list-style:none;margin:.75rem 0 0;padding:0;display:grid;gap:.75rem}
.shots:empty{display:none}
.shots li{display:flex;align-items:center;gap:.75rem;padding:.5rem;border:1px solid var(--line);border-radius:.5rem}
.shots img{flex:none;width:4rem;height:4rem;object-fit:cover;border-radius:.375rem;background:var(--wash)}
.shots div{flex:1 1 auto;min-width:0;font-size:.9375rem}
.shots progress{display:block;width:100%;height:.5rem;margin-block-start:.375rem;accent-color:var(--main)}
.shots button{padding:.25rem .75rem;font-weight:400}
.small{min-height:2.75rem;padding:.5rem 1rem}
.consent{color:var(--soft);font-size:.9375rem}
.send{width:100%}
[aria-disabled=true]{opacity:.65;cursor:progress}
.number{font-size:1.25rem}
.away{position:absolute;width:1px;height:1px;margin:-1px;padding:0;border:0;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (min-width:30rem){.send{width:auto;min-width:14rem}}
`);
