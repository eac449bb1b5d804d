import { html, type Markup } from '../base/markup.ts';
import type { Language } from '../i18n/languages.ts';
import { type AdminData, type AdminTab, tabsOf } from './admin-data.ts';
import { ADMIN_STYLE } from './admin-style.ts';
import type { Page } from './page.ts';
import { plain, withNames } from './texts.ts';
import { programFile } from './web-files.ts';

/** What the frame of the page shows, beside what its program gets. */
export interface AdminPage extends AdminData {
  /** The tab that the address names; the first one otherwise. */
  tab: AdminTab | undefined;
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
    ${page.logoUrl && html`<img src="${page.logoUrl}" alt="" height="36" />`} ${organizationChoice(page)}
    <span class="who"><bdi>${page.person.name}</bdi></span>
    <button class="second small" id="sign-out">${page.texts.signOut}</button>
  </header>`;

const navigation = (page: AdminPage, tabs: readonly AdminTab[], current: AdminTab): Markup =>
  html`<nav aria-label="${page.texts.settings}">
    <ul>
      ${tabs.map((tab) => {
        const { name } = page.texts.tabs[tab];
        const address = `${page.base}/admin/${tab}`;
        return tab === current
          ? html`<li><a href="${address}" aria-current="page">${name}</a></li>`
          : html`<li><a href="${address}">${name}</a></li>`;
      })}
    </ul>
  </nav>`;

/** What stands where the program will show rows. */
const SKELETON = html`<div class="skeleton" aria-hidden="true"><i></i><i></i><i></i><i></i></div>`;

interface Heading {
  title: string;
  lead: Markup | string;
}

/** The heading of the page, which the program repeats. */
const headingOf = ({ organization, organizations, person, texts }: AdminPage, tab: AdminTab): Heading => {
  if (!organization) {
    const { title, lead } = organizations.length > 0 ? texts.choose : texts.nowhere;
    return { title, lead: withNames(lead, { email: person.email }) };
  }
  if (!tabsOf(organization.role).includes(tab)) {
    const { title, lead } = texts.adminsOnly;
    return { title, lead: withNames(lead, { organization: organization.name }) };
  }
  const { name, lead } = texts.tabs[tab];
  return { title: name, lead };
};

/**
 * The page of the admin app: its frame, with everything in its place, in which the program shows a tab. Whoever may not
 * open the tab gets a page that says so.
 */
export const adminPage = (page: AdminPage): Page & { language: Language } => {
  const { tab: wanted, logoUrl: _logo, images, ...data } = page;
  const { base, language, organization, texts } = data;
  const tabs = organization ? tabsOf(organization.role) : [];
  const tab = wanted ?? tabs[0] ?? 'profile';
  const { title, lead } = headingOf(page, tab);
  const content = html`<a class="skip" href="#main">${texts.skip}</a>
    ${header(page)}
    <div class="columns">
      ${organization && navigation(page, tabs, tab)}
      <main id="main" data-page="${JSON.stringify(data)}">
        <h1 tabindex="-1">${title}</h1>
        <p class="lead">${lead}</p>
        ${tabs.includes(tab) && SKELETON}
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
