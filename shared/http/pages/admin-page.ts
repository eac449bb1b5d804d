import type { Language } from '../../base/i18n/languages.ts';
import { html, type Markup } from '../../base/markup.ts';
import {
  type AdminData,
  type AdminPlace,
  type AdminTab,
  headingOf as textsOf,
  TAB_GROUPS,
  type TabGroup,
  tabOf,
  tabsOf,
} from './admin-data.ts';
import type { Page } from './page.ts';
import { styleOf } from './style.ts';
import { plain, withNames } from './texts.ts';
import { programFile } from './web-files.ts';

/** The data of the page's frame, beside the data of its program. */
export interface AdminPage extends AdminData {
  /** What the address names: undefined for the first tab, null where there is nothing at it. */
  place: AdminPlace | undefined | null;
  logoUrl: string | null;
  /** Where logos come from. */
  images: readonly string[];
}

/** The name of the organization; with several of them, the choice. */
const organizationChoice = ({ organization, organizations, texts }: AdminData): Markup =>
  organization && organizations.length > 1
    ? html`<label class="away" for="organization">${texts.organization}</label>
        <select id="organization" autocomplete="off">
          ${organizations.map(({ id, name }) =>
            id === organization.id
              ? html`<option value="${id}" selected>${name}</option>`
              : html`<option value="${id}">${name}</option>`,
          )}
        </select>`
    : html`<bdi class="whose">${organization?.name ?? texts.settings}</bdi>`;

const header = (page: AdminPage): Markup =>
  html`<header>
    ${
      page.organization &&
      html`<button class="second small" id="menu" aria-expanded="false" aria-controls="tabs">
        ${page.texts.menu}
      </button>`
    }
    ${page.logoUrl && html`<img src="${page.logoUrl}" alt="" height="36" />`}
    <span class="whom">${organizationChoice(page)} <bdi class="who">${page.person.name}</bdi></span>
    <button class="second small" id="sign-out">${page.texts.signOut}</button>
  </header>`;

const tabLink = ({ base, texts }: AdminPage, tab: AdminTab, current: AdminTab | null): Markup => {
  const { name } = texts.tabs[tab];
  const address = `${base}/admin/${tab}`;
  return tab === current
    ? html`<li><a href="${address}" aria-current="page">${name}</a></li>`
    : html`<li><a href="${address}">${name}</a></li>`;
};

const groupName = ({ texts }: AdminPage, group: TabGroup): string =>
  ({ home: texts.tabs.home.name, ...texts.groups, settings: texts.settings })[group];

/** The tabs in their groups. A group of one needs no heading. */
const navigation = (page: AdminPage, allowed: readonly AdminTab[], current: AdminTab | null): Markup =>
  html`<nav id="tabs" aria-label="${page.texts.menu}">
    ${Object.entries(TAB_GROUPS).map(([group, all]) => {
      const tabs = all.filter((tab) => allowed.includes(tab));
      if (tabs.length === 0) return null;
      const links = tabs.map((tab) => tabLink(page, tab, current));
      if (tabs.length === 1)
        return html`<ul>
          ${links}
        </ul>`;
      return html`<h2 id="group-${group}">${groupName(page, group as TabGroup)}</h2>
        <ul aria-labelledby="group-${group}">
          ${links}
        </ul>`;
    })}
    ${page.timezone && html`<p class="sub">${plain(page.texts.zone, { zone: page.timezone })}</p>`}
  </nav>`;

/** The placeholder of the rows that the program will show. */
const SKELETON = html`<div class="skeleton" aria-hidden="true"><i></i><i></i><i></i><i></i></div>`;

interface Heading {
  title: string;
  lead: Markup | string;
}

/** The heading of the page, which the program repeats. */
const pageHeading = (
  { organization, organizations, invitations, person, texts }: AdminPage,
  place: AdminPlace | null,
): Heading => {
  if (!organization) {
    const alone = invitations.length > 0 ? texts.invitations : texts.nowhere;
    const { title, lead } = organizations.length > 0 ? texts.choose : alone;
    return { title, lead: withNames(lead, { email: person.email }) };
  }
  if (place === null) return texts.notFound;
  if (!tabsOf(organization.role).includes(tabOf(place))) {
    const { title, lead } = texts.adminsOnly;
    return { title, lead: withNames(lead, { organization: organization.name }) };
  }
  const { name, lead } = textsOf(texts, place, organization.role);
  return { title: name, lead };
};

/**
 * The page of the admin app: its frame, in which the program shows a tab. People who may not open the tab get a page
 * that says so.
 */
export const adminPage = (page: AdminPage): Page & { language: Language } => {
  const { place, logoUrl: _logo, images, ...data } = page;
  const { base, language, organization, texts } = data;
  const tabs = organization ? tabsOf(organization.role) : [];
  const shown = place === undefined ? (tabs[0] ?? 'profile') : place;
  const tab = shown && tabOf(shown);
  const { title, lead } = pageHeading(page, shown);
  const content = html`<a class="skip" href="#main">${texts.skip}</a>
    ${header(page)}
    <div class="columns">
      ${organization && navigation(page, tabs, tab)}
      <main id="main" data-page="${JSON.stringify(data)}">
        <h1 tabindex="-1">${title}</h1>
        <p class="lead">${lead}</p>
        ${tab && tabs.includes(tab) && SKELETON}
      </main>
    </div>`;
  return {
    title: plain(`${title} · {organization}`, { organization: organization?.name ?? texts.settings }),
    content,
    isWhole: true,
    language,
    hasFields: true,
    style: ADMIN_STYLE,
    program: `${base}/assets/${programFile('admin')}`,
    images,
  };
};

/**
 * The style of the admin app, beside that of every page and of forms. Rows are a table where there is room for one, and
 * cards on a phone.
 */
const ADMIN_STYLE = styleOf(`
:root{--good:#0b5d3b;--good-wash:#e3f2ea;--warn:#7a4a00;--warn-wash:#fdf1dc;--bad-wash:#fbeaea;--hair:#d9dfe3;--shade:0 1px 2px #0000000d,0 8px 24px #00000012}
@media (prefers-color-scheme:dark){:root{--good:#86dcae;--good-wash:#173527;--warn:#f2c879;--warn-wash:#3a2d13;--bad-wash:#422324;--hair:#35414a;--shade:0 8px 32px #0008}}
html{scrollbar-gutter:stable;background:linear-gradient(var(--card) calc(4rem - 1px),var(--hair) 0 4rem,var(--ground) 0) no-repeat var(--ground)}
body{min-height:100vh;background:none}
[hidden]{display:none}
header,main{max-width:none;margin:0}
header{flex-wrap:nowrap;gap:.75rem;padding:.5rem 1.25rem;height:4rem;border-block-end:1px solid var(--hair)}
header img{max-height:2.25rem;max-width:6rem}
header .whose,header select{flex:0 1 auto;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
header select{width:auto;max-width:18rem;min-height:2.75rem;padding-block:.25rem;font-weight:600}
header .whom{display:flex;flex:1 1 auto;min-width:0;align-items:center;gap:.75rem}
header .who{flex:0 1 auto;margin-inline-start:auto;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-weight:400;color:var(--soft);font-size:.9375rem}
header button{flex:none;font-weight:400;color:var(--text);border:1px solid var(--line)}
.skip{position:absolute;inset-inline-start:1rem;inset-block-start:-4rem;z-index:1;padding:.75rem 1rem;background:var(--card);color:var(--main);border-radius:.5rem}
.skip:focus{inset-block-start:.5rem}
.columns{max-width:84rem;margin-inline:auto;padding:0 1.25rem 3rem}
nav{padding-block:.75rem}
nav ul{margin:0 0 .75rem;padding:0;list-style:none}
nav h2{margin:0;padding-inline:.875rem;font-size:.8125rem;font-weight:600;color:var(--soft)}
nav .sub{padding-inline:.875rem}
nav a{display:block;padding:.625rem .875rem;border-radius:.5rem;color:var(--soft);text-decoration:none;white-space:nowrap}
nav a:hover{color:var(--text);background:var(--wash)}
nav a[aria-current]{color:var(--main);font-weight:600;background:var(--card);box-shadow:inset 3px 0 var(--main)}
[dir=rtl] nav a[aria-current]{box-shadow:inset -3px 0 var(--main)}
nav a:focus-visible{outline-offset:-3px}
main{border-radius:.75rem;padding:1.5rem 1.25rem;min-height:28rem;border:1px solid var(--hair)}
main:first-child{margin-block-start:1.5rem}
main:focus,h1:focus,h2:focus{outline:0}
h1{font-size:1.625rem;letter-spacing:-.01em;margin-block-end:.25rem}
h2{margin-block:0 .25rem}
h3{font-size:1.0625rem;margin:1.5rem 0 .5rem}
.lead{margin-block-end:1.5rem}
form{display:block;margin:0}
.bar{display:flex;flex-wrap:wrap;align-items:center;gap:.75rem;margin-block-end:1.25rem}
.bar>:last-child:not(:first-child){margin-inline-start:auto}
.small{min-height:2.5rem;padding:.375rem .875rem;font-size:.9375rem}
button:hover:not([aria-disabled]){filter:brightness(1.08)}
.plain{min-height:2.75rem;padding:.375rem .5rem;border-color:transparent;background:transparent;color:var(--main);font-weight:400;font-size:.9375rem;text-decoration:underline;text-decoration-color:var(--hair);text-underline-offset:.25rem}
.plain:hover{text-decoration-color:currentcolor}
.danger{background:var(--wrong);border-color:var(--wrong);color:var(--card)}
.plain.danger{background:transparent;border-color:transparent;color:var(--wrong)}
table{width:100%;border-collapse:collapse;font-size:.9375rem}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
th,td{padding:.75rem .75rem;text-align:start;vertical-align:top;border-block-end:1px solid var(--hair)}
th:first-child,td:first-child{padding-inline-start:0}
th:last-child,td:last-child{padding-inline-end:0}
thead th{padding-block:.25rem .5rem;color:var(--soft);font-weight:400;font-size:.875rem;white-space:nowrap}
tbody th{min-width:7rem;font-weight:600}
td.acts{padding-block:.125rem;text-align:end}
.acts button,.copy button{white-space:nowrap}
code,pre{overflow-wrap:anywhere}
th code{overflow-wrap:break-word}
.details td{padding:0 0 1rem}
.inside{padding:.25rem 1.25rem;border-inline-start:.25rem solid var(--hair)}
.card>.acts{display:flex;flex-wrap:wrap;margin-block:0 .75rem;margin-inline-start:-.875rem}
.card>.part>.field{max-width:16rem}
table+table,table+.card{margin-block-start:1.25rem}
.card>h3:first-child{margin-block-start:0}
.acts>*{margin-inline-start:.25rem}
.sub{display:block;color:var(--soft);font-weight:400;font-size:.875rem}
code,.secret{font-family:ui-monospace,monospace;font-size:.9em}
.chip{display:inline-block;padding:.0625rem .625rem;border-radius:1rem;background:var(--wash);color:var(--text);font-size:.875rem;font-weight:400;white-space:nowrap}
.chip.good{background:var(--good-wash);color:var(--good)}
.chip.warn{background:var(--warn-wash);color:var(--warn)}
.chip.bad{background:var(--bad-wash);color:var(--wrong)}
.empty{padding:2.5rem 1rem;border:1px dashed var(--line);border-radius:.75rem;text-align:center;color:var(--soft)}
.empty p:last-child{margin:0}
.card{margin-block-end:1.25rem;padding:1.25rem;border:1px solid var(--hair);border-radius:.75rem}
.card>.bar:last-child{margin:0}
.title{display:flex;flex-wrap:wrap;align-items:baseline;gap:.5rem .75rem}
.title h2{margin:0}
dl{font-size:.9375rem;margin-block:.75rem 1rem}
.part{margin-block-start:2rem;padding-block-start:1.5rem;border-block-start:1px solid var(--hair)}
.lead+.part{margin-block-start:0;padding-block-start:0;border:0}
.lead+form>.part:first-child{margin-block-start:0;padding-block-start:0;border:0}
.part h2{margin-block-end:1rem}
.many{display:grid;grid-template-columns:repeat(auto-fill,minmax(10rem,1fr))}
.many legend{grid-column:1/-1}
.fields{max-width:36rem}
.pair,.filters{display:grid;gap:0 1rem}
.notice{padding:.875rem 1.125rem}
.notice.bad{border-color:var(--wrong);background:transparent}
.notice.warn{border-color:var(--warn);background:var(--warn-wash)}
.notice ul{margin:.5rem 0;padding-inline-start:1.25rem}
.notice .bar{margin-block:.75rem 0}
.said{position:fixed;inset-inline:1rem;inset-block-end:1rem;z-index:2;width:fit-content;max-width:calc(100% - 2rem);margin-inline:auto;padding:.75rem 1.25rem;border-radius:.5rem;background:var(--text);color:var(--ground);box-shadow:var(--shade)}
.said:empty{display:none}
dialog{width:min(34rem,calc(100% - 1.5rem));max-height:calc(100% - 1.5rem);padding:1.5rem;border:1px solid var(--hair);border-radius:.75rem;background:var(--card);color:var(--text);box-shadow:var(--shade);overflow-y:auto}
dialog::backdrop{background:#0b1216a6}
dialog h2{font-size:1.3125rem;margin-block-end:1.25rem}
.ends{display:flex;flex-wrap:wrap;justify-content:flex-end;gap:.75rem;margin-block-start:1.5rem}
.copy{display:flex;gap:.5rem;margin-block-end:.5rem}
.copy input{flex:1 1 auto;min-width:0}
.choices{display:grid;gap:.75rem;margin:0;padding:0;list-style:none}
.choices>li>button{width:100%;text-align:start;color:var(--text);border-width:1px;border-color:var(--line)}
.choices .card{margin:0}
.choices+.invitations,.invitations+*{margin-block-start:1.5rem}
.title h3{margin:0}
fieldset.groups{display:grid;gap:0 1rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,14rem),1fr))}
.groups details{padding-inline-start:2.25rem}
.groups summary{padding-block:.5rem;font-size:.9375rem}
.logo{display:block;max-width:16rem;max-height:6rem;padding:.75rem;border:1px solid var(--hair);border-radius:.5rem;background:#fff}
progress{display:block;width:100%;height:.75rem;accent-color:var(--main)}
.progress{max-width:36rem;margin-block-end:1.25rem}
.progress p{margin-block:.375rem 0}
.pick{display:flex;gap:.75rem;align-items:flex-start}
.pick>input{flex:none;width:1.5rem;height:1.5rem;margin:0;accent-color:var(--main)}
.picked{margin-block-end:.75rem}
.picked .choice{margin:0;padding-block:.375rem}
meter{display:block;width:100%;height:.75rem;margin-block:.375rem}
.skeleton i{display:block;height:3rem;margin-block-end:.75rem;border-radius:.5rem;background:var(--wash)}
.skeleton i:first-child{width:10rem;height:2.75rem;margin-block-end:1.5rem}
.search{display:flex;flex-wrap:wrap;align-items:end;gap:0 1rem;margin-block-end:.5rem}
.search .field{flex:1 1 14rem}
.search button{margin-block-end:1.25rem}
.facts>div{display:contents}
.item{display:block;text-align:-webkit-match-parent;text-align:match-parent}
time{white-space:nowrap}
.id{display:inline-flex;flex-wrap:wrap;align-items:center;gap:0 .5rem}
.id code{overflow-wrap:anywhere}
.id button{min-height:1.75rem;padding-block:0}
.back{margin-block-end:.5rem;font-size:.9375rem}
.sub a,.item a{display:inline-block;min-height:1.5rem}
.history{margin:0 0 1rem;padding:0;list-style:none}
.history>li{margin-block-end:1rem;padding-inline-start:1rem;border-inline-start:.1875rem solid var(--hair)}
.fold{border-block-start:1px solid var(--hair)}
.fold>:first-child{margin:0;font-size:1rem;letter-spacing:0}
.fold>:first-child>button{display:grid;grid-template-columns:1.25rem 1fr auto;align-items:baseline;gap:0 1rem;width:100%;padding:.625rem .25rem;border:0;background:none;color:var(--text);text-align:start}
.fold>:first-child>button::before{content:"";width:.5rem;height:.5rem;margin-inline-start:.25rem;border:solid var(--soft);border-width:0 0 2px;border-inline-end-width:2px;transform:rotate(-45deg)}
.fold>:first-child>[aria-expanded=true]::before{transform:rotate(45deg)}
[dir=rtl] .fold>:first-child>button::before{transform:rotate(45deg)}
[dir=rtl] .fold>:first-child>[aria-expanded=true]::before{transform:rotate(-45deg)}
.fold>:last-child{padding-block-end:.75rem;padding-inline-start:1.25rem}
.answers{margin:0 0 .5rem;padding:0;list-style:none}
.answers>li{display:grid;gap:.25rem 1.5rem;padding:.75rem .5rem;border-block-start:1px solid var(--hair);font-size:.9375rem;scroll-margin-block:4rem}
.answers>[aria-current]{background:var(--wash);box-shadow:inset 3px 0 var(--main)}
[dir=rtl] .answers>[aria-current]{box-shadow:inset -3px 0 var(--main)}
.asked,.soft{color:var(--soft)}
.asked,.remark{margin:0}
.written{white-space:pre-wrap}
.inner{padding-inline-start:1rem}
.pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,8rem),10rem));gap:.75rem;margin:.375rem 0;padding:0;list-style:none}
.pictures>li{min-height:6rem}
.picture{display:block;width:100%;min-height:0;aspect-ratio:4/3;padding:0;overflow:hidden;border:1px solid var(--line);background:#fff}
.picture img{display:block;width:100%;height:100%;object-fit:contain}
.plain-list{margin:0;padding:0;list-style:none}
.plain-list>li{padding-block:.25rem}
.figures{display:grid;gap:1rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,max(11rem,(100% - 2rem)/3)),1fr));margin:1.5rem 0;padding:0;list-style:none}
.figures>li>*{display:block;height:100%;margin:0;padding:1rem 1.25rem;border:1px solid var(--hair);border-radius:.75rem;color:inherit;text-decoration:none}
.figures a:hover{border-color:var(--main)}
.figures strong{display:block;font-size:1.75rem;line-height:1.2}
main a{color:var(--main)}
.figures.four{grid-template-columns:repeat(auto-fill,minmax(min(100%,max(7rem,(100% - 3rem)/4)),1fr));margin-block:1rem 0}
.figures.four:has(>:nth-child(5)){grid-template-columns:repeat(auto-fill,minmax(min(100%,max(7rem,(100% - 4rem)/5)),1fr))}
.figures.four>li>*{padding:.75rem}
.charts{display:grid;gap:1rem 2rem;margin-block:1rem}
.chart{min-width:0;margin:0}
.chart figcaption{margin-block-end:.5rem;font-weight:600}
.bars{display:grid;grid-auto-flow:column;grid-auto-columns:minmax(0,1fr);gap:.125rem;text-align:center;font-size:.6875rem;line-height:1.4}
.bars>div>*{display:block}
.bars svg{width:100%;height:7rem;padding-inline:8%}
.bars b{font-weight:600}
.bars .wide,.bars small{color:var(--soft)}
.bars .tight{display:none;color:var(--soft)}
.bars small{font-size:inherit}
.share{display:block;min-width:8rem;max-width:16rem}
.share .sub{display:inline}
.share svg{display:block;width:100%;height:.5rem;margin-block-start:.25rem}
[dir=rtl] .share svg{transform:scaleX(-1)}
main svg rect{fill:var(--main)}
main svg .track{fill:var(--wash);stroke:var(--hair);stroke-width:1px;vector-effect:non-scaling-stroke}
.log dt{font-family:ui-monospace,monospace;font-size:.8125rem}
pre{margin:0 0 1rem;padding:.75rem;max-height:16rem;overflow:auto;border-radius:.5rem;background:var(--wash);font-size:.8125rem;white-space:pre-wrap}
h4{font-size:1rem;margin:1.25rem 0 .5rem}
h5,h6{font-size:.9375rem;margin:0}
.first pre{max-width:44rem;margin-inline:auto;text-align:left}
.first a{white-space:nowrap}
.section{margin-block-end:.5rem;border-block-end:1px solid var(--hair)}
.section .section{margin-inline-start:1.25rem;border-block-start:1px solid var(--hair);border-block-end:0}
.section>summary>*{display:inline;margin:0;color:inherit}
.section>.facts,.section>.plain-list{margin-inline-start:1.25rem}
.section>.plain-list>li,.differences>.plain-list>li{padding-block:.75rem}
.section>.plain-list>li+li,.differences>.plain-list>li+li{border-block-start:1px solid var(--hair)}
.plain-list .facts{margin-block:.5rem 0}
.plain-list .plain-list>li{padding-block:0 .25rem}
.swatch{display:inline-block;width:.875rem;height:.875rem;margin-inline-end:.375rem;border:1px solid var(--line);border-radius:.25rem;vertical-align:-.125rem}
.change del{color:var(--soft)}
.change ins{text-decoration:none}
details>summary{min-height:2.75rem;padding-block:.625rem;color:var(--main);cursor:pointer}
@media (prefers-reduced-motion:no-preference){.skeleton i{animation:wait 1.6s ease-in-out infinite alternate}@keyframes wait{to{opacity:.45}}}
@media (max-width:47.99rem){
.columns{padding-inline:.75rem}
main{margin-block-start:.75rem}
main{padding-inline:1rem}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table,tbody{display:block}
tr{display:block;margin-block-end:.75rem;padding:.75rem 1rem;border:1px solid var(--hair);border-radius:.75rem}
tbody th,td{display:flex;gap:.75rem;justify-content:space-between;padding:.25rem 0;border:0;text-align:end}
tbody th{display:block;text-align:start;font-size:1rem}
td::before{content:attr(data-label);flex:none;color:var(--soft);text-align:start}
td.acts{display:flex;flex-wrap:wrap;justify-content:flex-start;margin-inline-start:-.5rem;text-align:start}
td .share{flex:1 1 auto;max-width:14rem}
.bars .wide{display:none}
.bars .tight{display:block}
td.acts::before,.details td::before{display:none}
.details td{display:block;text-align:start}
.acts>*{margin-inline-start:0}
header .whom{flex-direction:column;align-items:stretch;gap:0}
.fold>:first-child>button{grid-template-columns:1.25rem 1fr}
.fold>:first-child>button>.sub{grid-column:2}
.fold>:last-child{padding-inline-start:.75rem}
header .whose,header .whom select{font-size:.9375rem}
header .whom select{min-height:2rem;padding-block:0}
header .who{margin:0;font-size:.8125rem;line-height:1.2}
.copy{flex-wrap:wrap}
.ends button{flex:1 1 auto}
}
@media (max-width:59.99rem){nav:not(.open){display:none}}
@media (min-width:48rem){.answers>li{grid-template-columns:minmax(0,2fr) minmax(0,3fr)}}
@media (min-width:36rem){.pair,.filters{grid-template-columns:1fr 1fr}}
@media (min-width:72rem){.charts{grid-template-columns:1fr 1fr}}
@media (min-width:72rem){.filters{grid-template-columns:repeat(4,1fr)}}
@media (min-width:60rem){
.columns{display:grid;grid-template-columns:13rem minmax(0,1fr);gap:1.5rem;padding-block-start:1.5rem}
.columns>main:first-child{grid-column:1/-1;margin:0;justify-self:center;width:min(40rem,100%)}
#menu{display:none}
nav{position:sticky;inset-block-start:0;align-self:start;max-height:100vh;overflow-y:auto}
nav a{padding-block:.375rem}
main{padding:2rem 2.25rem}
}
`);
