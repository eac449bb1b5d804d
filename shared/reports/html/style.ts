import { INK, TONES } from '../presentation/theme.ts';

/**
 * The style of the page, for screens of any size and for print. `--theme` and `--tint` are the report's own colours. A
 * word breaks only where it is longer than its line. A short text that runs the other way begins where the others do.
 */
export const STYLE = `
*{box-sizing:border-box}
body{margin:0;background:${INK.panel};color:${INK.text};font:1rem/1.5 system-ui,"Noto Sans",sans-serif;overflow-wrap:break-word}
main{max-width:60rem;margin:0 auto;padding:2.5rem 1.25rem;background:${INK.white}}
h1{font-size:2rem;line-height:1.2;margin:.5rem 0}
h2{font-size:1.35rem;color:var(--theme);border-block-end:2px solid var(--theme);padding-block-end:.25rem;margin:2.5rem 0 1rem}
h3,h4,h5,h6{font-size:1.05rem;margin:0}
section>h3{margin-block:1.5rem .5rem}
p{margin:.25rem 0}
a{color:var(--theme)}
[dir=auto]{white-space:pre-line}
:where([dir=ltr]) [dir=auto]{text-align:left}
:where([dir=rtl]) [dir=auto]{text-align:right}
.long [dir=auto]{text-align:start}
dl,dd,ul,figure{margin:0;padding:0}
ul{list-style:none}
.cover{border-inline-start:10px solid var(--theme);padding-inline-start:1.5rem}
header>img{max-width:16rem;max-height:5rem;width:auto;height:auto}
.owner{font-weight:600;color:var(--theme)}
.draft,.notice{background:${TONES.warning.tint};color:${TONES.warning.ink};padding:.5rem .75rem;font-weight:600}
.quiet,figcaption{color:${INK.muted};font-size:.875rem;font-weight:400}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(12rem,1fr));gap:.75rem 1.5rem;margin:1rem 0}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:.5rem;margin:1rem 0}
.figures>div,.score{background:${INK.panel};padding:.6rem .9rem}
.figures dd,.score .large{font-size:1.5rem;font-weight:600}
dt,.label{font-size:.8rem;font-weight:600;color:${INK.muted}}
nav li.level-2{padding-inline-start:1.25rem}
nav a{display:inline-block;max-inline-size:100%;padding-block:.25rem}
.chips{display:flex;flex-wrap:wrap;gap:.35rem}
.chip{border-radius:.25rem;padding:.05rem .5rem;font-size:.8rem;font-weight:600}
.bar{display:block;flex:1;min-inline-size:4rem;block-size:.5rem;margin-block:.5rem;border-radius:.25rem;background:${INK.line};overflow:hidden}
.bar>span{display:block;block-size:100%}
.bars li{display:grid;grid-template-columns:minmax(8rem,2fr) 3fr minmax(4rem,auto);gap:.75rem;align-items:center}
.verdict{border-inline-start:4px solid var(--tone);padding-inline-start:.75rem;margin-block:.75rem}
.worst>li{display:flex;gap:1rem;margin-block:.75rem}
.worst .photos{display:block;flex:0 0 8rem}
.worst .photos .quiet{display:none}
table{width:100%;border-collapse:collapse;margin:0 0 1rem}
th,td{text-align:start;vertical-align:top;padding:.4rem .5rem;font-weight:400}
tbody th{font-weight:600}
thead th{font-size:.8rem;font-weight:600;color:${INK.muted};background:${INK.panel}}
tbody+tbody,tbody tr+tr{border-block-start:1px solid ${INK.line}}
tbody tr.remarks{border:0;font-size:.9rem}
.count{text-align:end;white-space:nowrap}
.part{margin-block:1.25rem}
.part .part{margin-inline-start:1rem}
.title{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.25rem 1rem;background:var(--tint);padding:.4rem .5rem}
.title>:first-child{color:var(--theme)}
.item{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);gap:.15rem 1rem;padding:.5rem;border-block-end:1px solid ${INK.line}}
.item.compared{grid-template-columns:minmax(0,3fr) minmax(0,2fr) minmax(0,2fr)}
.item.long,.item.instruction{grid-template-columns:minmax(0,1fr)}
.before{color:${INK.muted}}
.before.failed{color:${TONES.bad.ink}}
.item:not(.long) .answer{font-weight:600}
.answer img{max-width:100%;max-height:5rem;width:auto;height:auto}
.item.instruction{background:var(--tint)}
.beside{grid-column:1/-1}
.number{color:${INK.muted}}
.swatch{float:inline-start;inline-size:.8rem;block-size:.8rem;border-radius:50%;margin:.35rem;margin-inline-start:0}
.failed{background:#fff7f6;border-inline-start:3px solid ${TONES.bad.ink}}
.failed .answer,td.failed{color:${TONES.bad.ink}}
.finding{border-inline-start:3px solid var(--tone);padding-inline-start:1rem;margin-block:1.5rem}
.action{background:${INK.panel};padding:.75rem 1rem;margin-block:.75rem}
.photos{display:grid;grid-template-columns:repeat(var(--columns),minmax(0,1fr));gap:.6rem;margin-block:.5rem}
.photos svg{display:block;inline-size:100%;block-size:auto;max-block-size:16rem}
.photos.large{gap:1.5rem 1rem;align-items:start}
.photos.large svg{max-block-size:90vh}
.box{display:block;background:${INK.panel};padding:.6rem}
.signatures{display:grid;grid-template-columns:repeat(auto-fit,minmax(14rem,1fr));gap:2rem}
.mark{min-height:4.5rem;display:flex;align-items:end;font-size:1.5rem;font-style:italic;border-block-end:1px solid ${INK.faint};margin-block-end:.3rem}
.mark img{max-height:4.5rem;max-width:100%;width:auto;height:auto}
.qr{inline-size:8rem}
code{overflow-wrap:anywhere}
footer{margin-block-start:3rem}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
:target{outline:2px solid var(--theme);outline-offset:2px}
@media (max-width:600px){
main{padding:1.25rem 1rem}
.cover{border-inline-start-width:5px;padding-inline-start:.75rem}
h1{font-size:1.5rem}
.item,.item.compared{grid-template-columns:minmax(0,1fr)}
.part .part{margin-inline-start:.25rem}
.photos{--columns:2!important}
.bars li{grid-template-columns:1fr auto;row-gap:0;margin-block-end:.75rem}
.bars .bar{grid-column:1/-1;grid-row:2;margin-block:.25rem}
.cards,.cards tbody,.cards tr,.cards th,.cards td{display:block}
.cards thead,.cards td:empty{display:none}
.cards tr{padding:.5rem}
.cards th{padding:0!important}
.cards td{display:flow-root;padding:.15rem 0;padding-inline-start:8.5rem;white-space:normal}
.cards td[data-label]::before{content:attr(data-label);float:inline-start;inline-size:8rem;margin-inline-start:-8.5rem;color:${INK.muted};font-size:.875rem}
[dir=ltr] .cards td{direction:ltr;unicode-bidi:plaintext;text-align:left}
[dir=rtl] .cards td{direction:rtl;unicode-bidi:plaintext;text-align:right}
.cards td>p:first-child{margin-block-start:0}
.cards .remarks{padding-block-start:0}
.cards .remarks td{padding-inline-start:0}
}
@media print{
body{background:none;font-size:9.5pt;-webkit-print-color-adjust:exact;print-color-adjust:exact}
main{max-width:none;padding:0}
nav{display:none}
.cover{break-after:page}
h2,h3,h4,h5,h6,.title,thead{break-after:avoid}
tr,.item,figure,.signatures li,.figures,.score{break-inside:avoid}
.item.long{break-inside:auto}
thead{display:table-header-group}
}
`;
