import type { BrowserContextOptions, Page } from 'playwright-core';
import { settled, useBrowser } from '../support/browser.ts';
import { as } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

/** Somebody who is an admin of a new organization. */
export const newAdmin = async (name = 'Harbour'): Promise<SignedIn & { person: Person }> => {
  const person = await newPerson(name);
  return { ...(await signIn(person)), person };
};

/** A browser, and the windows of the app in it. */
export const useApp = () => {
  const browser = useBrowser();
  return {
    ...browser,
    /** A window of somebody at a tab of the app. */
    opened: async (who: { session: string }, tab: string, options?: BrowserContextOptions): Promise<Page> => {
      const page = await browser.signedIn(who, options);
      await page.goto(`${browser.url()}/admin/${tab}`);
      await settled(page);
      return page;
    },
  };
};

export const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' }).click();

export const dialogOf = (page: Page) => page.getByRole('dialog');

/** An endpoint with this many test events, which nothing has sent. */
export const newEndpoint = async (admin: SignedIn, events: number) => {
  const url = 'https://hooks.example.com/in';
  const webhook = await as(admin).webhooks.create({ body: { url, types: ['*'] } });
  for (let n = 0; n < events; n += 1) await as(admin).webhooks.test({ params: { webhook_id: webhook.id } });
  return webhook;
};
