import type { AdminData } from '../../../shared/http/pages/admin-data.ts';

/** The part of the page that shows a tab. The server has drawn all around it. */
export const main = document.querySelector<HTMLElement>('#main')!;

/** What the server has given to the program. */
export const page = JSON.parse(main.dataset['page']!) as AdminData;

export const t = page.texts;

/** The words that reports have as well. */
export const { words } = page;

/** The whole address of a path of the service. */
export const addressOf = (path: string): string => `${page.base}${path}`;

/** Where the sign-in begins that leads back to this tab. */
export const signInAddress = (): string => {
  const here = location.pathname.slice(page.base.length) + location.search;
  return addressOf(`/app/sign-in?return_to=${encodeURIComponent(here)}`);
};
