import { ADMIN_TABS } from '../../shared/http/pages/admin-data.ts';
import { brokenWords, moveTo, isTooWide, PHONE, settled, violationsOf } from '../support/browser.ts';
import { as } from '../support/call.ts';
import type { Person } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { anyIdentity, type SignedIn, signIn } from '../support/signed-in.ts';
import { dialogOf, newAdmin, newEndpoint, useApp } from './windows.ts';

const browser = useApp();

// The looks below go through the tabs by links.
test('every tab is opened by its address', async () => {
  const page = await browser.signedIn(await newAdmin());
  for (const tab of ADMIN_TABS) {
    await page.goto(`${browser.url()}/admin/${tab}`);
    await settled(page);
    const current = await page.locator('nav a[aria-current=page]').getAttribute('href');
    expect([current, await page.locator('main h1').count()]).toEqual([`/admin/${tab}`, 1]);
  }
});

describe.each([
  ['1280', {}],
  ['390', PHONE],
] as const)('A window of %s pixels', (_, size) => {
  test.each(['en', 'de', 'el'])('breaks no word of the app in two, in %s', async (locale) => {
    const admin = await newAdmin();
    await as(admin).app.inviteMember({ body: { email: anyIdentity().email, role: 'approver' } });
    await newEndpoint(admin, 1);
    const page = await browser.opened(admin, 'home', { locale, ...size });
    for (const tab of ADMIN_TABS) {
      if (tab !== 'home') await moveTo(page, `/admin/${tab}`);
      expect([tab, await brokenWords(page), await isTooWide(page)]).toEqual([tab, [], false]);
    }
    await moveTo(page, '/admin/api-keys');
    await page.locator('main .bar button').first().click();
    await dialogOf(page).locator('input').first().fill('Warehouse');
    await dialogOf(page).locator('[type=submit]').click();
    await page.locator('#secret').waitFor();
    expect(await brokenWords(page)).toEqual([]);
  });
});

describe('the admin app, by the rules of WCAG 2.2', () => {
  let admin: SignedIn & { person: Person };
  beforeAll(async () => {
    admin = await newAdmin('Hafenküche مطبخ');
    await signIn(admin.person, 'inspector');
  });

  const WITH_DIALOGS = new Set<string>(['api-keys', 'integrations', 'members', 'webhooks']);

  type Look = [locale: string, colorScheme: 'light' | 'dark', width: number];
  const EVERY_LOOK = ['en', 'de', 'ar'].flatMap((locale) =>
    (['light', 'dark'] as const).flatMap((scheme) =>
      [1280, 360].map((width): Look => [locale, scheme, width]),
    ),
  );
  /** One of each language, colour and width. */
  const SOME_LOOKS: Look[] = [
    ['en', 'light', 1280],
    ['de', 'dark', 360],
    ['ar', 'light', 360],
  ];

  test.each(scaled(SOME_LOOKS, EVERY_LOOK))(
    'breaks none in %s, %s, %i pixels wide, on every tab and in its dialogs',
    async (locale, colorScheme, width) => {
      const viewport = { width, height: 800 };
      const page = await browser.opened(admin, 'home', { locale, colorScheme, viewport });
      for (const tab of ADMIN_TABS) {
        if (tab !== 'home') await moveTo(page, `/admin/${tab}`);
        expect([tab, await violationsOf(page), await isTooWide(page)]).toEqual([tab, [], false]);
        const openers = page.locator('main .bar:first-of-type > button, main .acts button');
        if (!WITH_DIALOGS.has(tab)) continue;
        await openers.first().click();
        await dialogOf(page).waitFor();
        expect([tab, 'dialog', await violationsOf(page), await isTooWide(page)]).toEqual([
          tab,
          'dialog',
          [],
          false,
        ]);
        await page.keyboard.press('Escape');
        await dialogOf(page).waitFor({ state: 'detached' });
      }
    },
  );
});
