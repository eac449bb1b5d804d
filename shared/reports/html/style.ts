import { INK, TONES } from '../presentation/theme.ts';

/** The style of the page, for screens of any size and for print. `--theme` and `--tint` are the report's own colours. */
export const STYLE = `
*{box-sizing:border-box}
body{margin:0;background:${INK.panel};color:${INK.text};font:15px/1.5 system-ui,"Noto Sans",sans-serif;overflow-wrap:anywhere}
main{max-width:60rem;margin:0 auto;padding:2.5rem 1.25rem;background:${INK.white}}
h1{font-size:2rem;line-height:1.2;margin:.5rem 0}
h2{font-size:1.35rem;color:var(--theme);border-block-end:2px solid var(--theme);padding-block-end:.25rem;margin:2.5rem 0 1rem}
h3,h4,h5,h6{font-size:1.05rem;margin:0}
p{margin:.25rem 0}
[dir=auto]{white-space:pre-line}
.cover{border-inline-start:10px solid var(--theme);padding-inline-start:1.5rem}
.owner{font-weight:600;color:var(--theme);margin-block-end:2rem}
.owner img{display:block;max-width:16rem;max-height:5rem;width:auto;height:auto}
.quiet,figcaption{color:${INK.muted};font-size:.875rem}
.details{display:grid;grid-template-columns:repeat(auto-fit,minmax(14rem,1fr));gap:1rem 2rem;margin:1.5rem 0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.5rem;margin:0 0 1rem}
.tiles>div,.score{background:${INK.panel};padding:.6rem .9rem}
.tiles dd{font-size:1.4rem;font-weight:600}
dl,dd,ul,figure{margin:0;padding:0}
dt,.label{font-size:.7rem;font-weight:600;letter-spacing:.05em;text-transform:uppercase;color:${INK.muted}}
.chips{display:flex;flex-wrap:wrap;gap:.35rem;list-style:none;margin:.35rem 0}
.chip{display:inline-block;border-radius:.25rem;padding:.05rem .45rem;font-size:.7rem;font-weight:600;letter-spacing:.03em;text-transform:uppercase}
.bar{min-inline-size:5rem;block-size:.5rem;margin-block:.5rem;border-radius:.25rem;background:${INK.line};overflow:hidden}
.bar>div{block-size:100%}
table{width:100%;border-collapse:collapse;margin:0 0 1rem}
caption{text-align:start}
th,td{text-align:start;vertical-align:top;padding:.4rem .5rem;font-weight:400}
thead>tr>*{font-size:.7rem;font-weight:600;text-transform:uppercase;color:${INK.muted};background:${INK.panel}}
tbody+tbody,.rows tr+tr{border-block-start:1px solid ${INK.line}}
.number,.count,thead>tr>*{white-space:nowrap;overflow-wrap:normal}
.count{text-align:end}
.number{width:2.5rem;color:${INK.muted}}
.answer{width:36%;font-weight:600}
.answer .quiet{font-weight:400;font-size:.75rem}
.part{margin-block:1.25rem}
.part .part{margin-inline-start:1rem}
.title{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.25rem 1rem;background:var(--tint);padding:.4rem .5rem}
.title>:first-child{color:var(--theme)}
.failed{background:#fff7f6;border-inline-start:3px solid ${TONES.bad.ink}}
.failed .answer,.bad{color:${TONES.bad.ink}}
.finding{border-inline-start:3px solid var(--tone);padding-inline-start:1rem;margin-block:1.5rem}
.photos{display:grid;grid-template-columns:repeat(var(--columns),minmax(0,1fr));gap:.6rem;list-style:none;margin-block:.5rem}
.photos svg,.signature img{max-width:100%;height:auto;display:block}
.file{background:${INK.panel};padding:.6rem}
.signatures{display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:2rem;list-style:none}
.signature .mark{min-height:4.5rem;display:flex;align-items:end;font-size:1.5rem;font-style:italic;border-block-end:1px solid ${INK.faint};margin-block-end:.3rem}
.signature img{max-height:4.5rem;width:auto}
footer{margin-block-start:3rem;border-block-start:1px solid ${INK.line};padding-block-start:.5rem}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:36rem){
main{overflow-x:auto}
.photos{--columns:2!important}
.answer{width:45%}
.count{white-space:normal}
.rows .bar{min-inline-size:1.5rem}
}
@media print{
body{background:none;font-size:9.5pt;-webkit-print-color-adjust:exact;print-color-adjust:exact}
main{max-width:none;padding:0}
.cover{break-after:page}
h2,h3,h4,h5,h6,.title,caption,thead{break-after:avoid}
tr,tbody.item,figure,.signature,.tiles,.score{break-inside:avoid}
thead{display:table-header-group}
}
`;
