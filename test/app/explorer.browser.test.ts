import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { newDocument } from '../answers/fixtures.ts';
import { newAsset, newAssetKind } from '../assets/scenarios.ts';
import { newCertificate } from '../certificates/fixtures.ts';
import { newAction, newFinding } from '../corrective-actions/fixtures.ts';
import {
  completedInspection,
  NOTHING_REQUIRED,
  newClient,
  startedInspection,
  advance,
} from '../inspections/fixtures.ts';
import { newConnection } from '../integrations/fixtures.ts';
import { newCategory } from '../issues/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { newRegion } from '../regions/scenarios.ts';
import {
  brokenWords,
  moveTo,
  isTooWide,
  PHONE,
  settled,
  useBrowser,
  violationsOf,
} from '../support/browser.ts';
import { useMonday } from '../support/monday.ts';
import { signIn } from '../support/signed-in.ts';
import { type Admin, newAdmin, newWebhook, settle, useReceiver } from '../webhooks/fixtures.ts';

const receiver = useReceiver();

useMonday();

const browser = useBrowser();

/** A window of an admin at a path of the app. */
const opened = async ({ admin }: Admin, path: string, options?: BrowserContextOptions): Promise<Page> => {
  const page = await browser.signedIn(admin, options);
  await page.goto(`${browser.url()}/admin${path}`);
  await settled(page);
  return page;
};

const follow = (page: Page, name: string | RegExp) =>
  page.getByRole('main').getByRole('link', { name }).first().click();

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();

/** An inspection that awaits the approval of an admin. */
const pendingInspection = async (admin: Admin) => {
  const { id } = await startedInspection(admin, {
    family: { ...NOTHING_REQUIRED, requires_approval: true },
    approver_id: admin.admin.userId,
    name: 'Crane',
  });
  return advance(admin.key, { id });
};

describe('The explorer', () => {
  test('leads from the home by clicks alone to an inspection, its report, an event and its delivery', async () => {
    const admin = await newAdmin();
    const webhook = await newWebhook(admin, receiver().url, ['inspection.completed']);
    const { id } = await completedInspection(admin, { name: 'Loading bay' });
    await admin.reports.create({ params: { inspection_id: id }, body: {} });
    await settle(admin);
    const page = await opened(admin, '');
    await heading(page, 'Home');
    await page.getByRole('navigation').getByRole('link', { name: 'Inspections' }).click();
    await follow(page, '#1 Loading bay');
    await page.locator('h1:focus', { hasText: '#1 Loading bay' }).waitFor();
    await follow(page, 'Version 1');
    await heading(page, /Version 1/);
    await follow(page, '#1 Loading bay');
    await follow(page, 'inspection.completed');
    await heading(page, /inspection\.completed/);
    await page.getByRole('main').getByText('Succeeded').waitFor();
    await page.getByRole('button', { name: `Details: ${webhook.url}` }).click();
    await page.getByText(`POST ${webhook.url}`).waitFor();
    await page.goBack();
    await heading(page, '#1 Loading bay');
  });

  test('finds an inspection by its number and by its id, and a reload keeps what was looked for', async () => {
    const admin = await newAdmin();
    await completedInspection(admin, { name: 'Loading bay' });
    const { id } = await completedInspection(admin, { name: 'Cold store' });
    const page = await opened(admin, '/inspections');
    const search = page.getByRole('textbox', { name: /^Number/ });
    await search.fill('2');
    await search.press('Enter');
    await page.getByRole('link', { name: '#1 Loading bay' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: '#2 Cold store' }).waitFor();
    expect([new URL(page.url()).search, await search.inputValue()]).toEqual(['?q=2', '2']);
    await search.fill(id);
    await search.press('Enter');
    await heading(page, '#2 Cold store');
  });

  test('lets whoever is asked approve an inspection, and then asks no more', async () => {
    const admin = await newAdmin();
    await pendingInspection(admin);
    const page = await opened(admin, '/inspections?status=pending_approval');
    await follow(page, '#1 Crane');
    await page.getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Comment').fill('Well done');
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('main').getByText('Completed').first().waitFor();
    await page.getByText('A decision is awaited.').waitFor({ state: 'detached' });
  });

  test('says how much is erased with a client, and erases it', async () => {
    const admin = await newAdmin();
    const { id } = await newClient(admin);
    await completedInspection(admin, { client_account_id: id });
    const page = await opened(admin, `/clients/${id}`);
    await page.getByRole('button', { name: 'Erase with everything' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Inspections: 1. Locations: 0.').waitFor();
    await dialog.getByRole('button', { name: 'Erase with everything' }).click();
    await heading(page, 'Clients');
    await page.getByText('There is nothing here yet.').waitFor();
  });

  test('shares a report, and makes a public link with its card', async () => {
    const admin = await newAdmin();
    const { id } = await completedInspection(admin);
    const report = await admin.reports.create({ params: { inspection_id: id }, body: {} });
    const page = await opened(admin, `/reports/${report.id}`);
    await page.getByRole('button', { name: 'Share the report' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Share the report' }).click();
    expect(await dialog.getByLabel('Link', { exact: true }).inputValue()).toContain('/s/');
    await newCategory(admin);
    await page.goto(`${browser.url()}/admin/issues`);
    await page.getByRole('button', { name: 'New public link' }).click();
    await dialog.getByLabel('Label').fill('Loading bay');
    await dialog.getByRole('button', { name: 'New public link' }).click();
    const card = await dialog.getByRole('link', { name: /QR code/ }).getAttribute('href');
    expect(card).toMatch(/\/card\?token=[\w-]{22}$/);
    expect(await violationsOf(page)).toEqual([]);
  });

  test('lists findings and corrective actions of all inspections, by search and filters in the address', async () => {
    const admin = await newAdmin();
    const finding = await newFinding(admin, { label: 'Loose bolt', severity: 'critical' });
    await newFinding(admin, { label: 'Missing sign' });
    await newAction(admin, { title: 'Tighten it' }, finding);
    const page = await opened(admin, '/findings');
    await page.getByLabel('Severity').selectOption('critical');
    await page.getByRole('link', { name: /Missing sign/ }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?severity=critical');
    await page.reload();
    await follow(page, /Loose bolt/);
    await heading(page, /Loose bolt/);
    await follow(page, /Tighten it/);
    await heading(page, /Tighten it/);
    await page.getByRole('link', { name: 'Corrective actions' }).last().click();
    const search = page.getByRole('textbox', { name: /^Number/ });
    await search.fill('nothing');
    await search.press('Enter');
    await page.getByText('There are no records that fit.').waitFor();
    await search.fill('tighten');
    await search.press('Enter');
    await page.getByRole('link', { name: /Tighten it/ }).waitFor();
    expect(new URL(page.url()).search).toBe('?q=tighten');
  });

  test('lists reports of all inspections, by status and by inspection in the address', async () => {
    const admin = await newAdmin();
    const { id } = await completedInspection(admin, { name: 'Loading bay' });
    const other = await completedInspection(admin, { name: 'Cold store' });
    for (const inspection_id of [id, other.id])
      await admin.reports.create({ params: { inspection_id }, body: {} });
    const page = await opened(admin, '');
    await page.getByRole('navigation').getByRole('link', { name: 'Reports' }).click();
    await heading(page, 'Reports');
    await page.getByRole('link', { name: '#1 Loading bay' }).waitFor();
    await page.getByLabel('Status').selectOption('failed');
    await page.getByText('There are no records that fit.').waitFor();
    expect(new URL(page.url()).search).toBe('?status=failed');
    await page.getByLabel('Status').selectOption('queued');
    await follow(page, '#2 Cold store');
    await heading(page, '#2 Cold store');
    await follow(page, 'Show all');
    await heading(page, 'Reports');
    expect(new URL(page.url()).search).toBe(`?inspection_id=${other.id}`);
    await page.getByRole('link', { name: 'Version 1' }).waitFor();
    expect(await page.getByRole('link', { name: '#1 Loading bay' }).count()).toBe(0);
    await follow(page, 'Version 1');
    await heading(page, /Version 1/);
    await page.getByRole('main').getByRole('link', { name: 'Reports' }).click();
    await heading(page, 'Reports');
  });

  test('leads from a region to its location, and from there to an asset and its kind', async () => {
    const admin = await newAdmin();
    const region = await newRegion(admin, { name: 'North' });
    const location = await newLocation(admin, { name: 'Quay 7', region_id: region.id });
    const kind = await newAssetKind(admin, {
      name: 'Lift',
      fields: [{ type: 'number', label: 'Load in kg' }],
    });
    const values = [{ field_id: kind.fields[0]!.id, value: 630 }];
    await newAsset(admin, { name: 'Lift A', kind_id: kind.id, location_id: location.id, values });
    const page = await opened(admin, '/regions');
    await follow(page, 'North');
    await follow(page, 'Quay 7');
    await heading(page, 'Quay 7');
    await follow(page, /Lift A/);
    await heading(page, /Lift A/);
    await page.getByText('Load in kg').waitFor();
    await page.getByText('630').waitFor();
    await follow(page, 'Lift');
    await heading(page, 'Lift');
    await page.getByRole('link', { name: 'Kinds of assets' }).click();
    await heading(page, 'Kinds of assets');
  });

  test('leads from an asset to its certificate, its page and its kind, and makes a label for the asset', async () => {
    const admin = await newAdmin();
    await newCategory(admin);
    const { certificate, kind } = await newCertificate(admin);
    await settle(admin);
    const page = await opened(admin, `/assets/${certificate.asset_id}`);
    await page.getByRole('button', { name: 'New QR label' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'New QR label' }).click();
    const sheet = await dialog.getByRole('link', { name: /label to stick on/ }).getAttribute('href');
    expect(sheet).toMatch(/\/public-link-sheet\?link=[\da-f-]{36}:[\w-]{22}$/);
    await dialog.getByRole('button', { name: 'Done' }).click();
    const [link] = await admin.issues.listPublicLinks({
      params: { category_id: new URL(sheet!, browser.url()).pathname.split('/').at(-2)! },
    });
    expect(link!.asset_id).toBe(certificate.asset_id);
    await follow(page, new RegExp(certificate.number));
    await heading(page, new RegExp(certificate.number));
    await page.getByRole('main').getByText('Valid', { exact: true }).waitFor();
    const address = await page.getByRole('link', { name: 'See what anyone sees of it' }).getAttribute('href');
    expect(address).toBe(`/verify/${certificate.number}`);
    await follow(page, 'certificate.issued');
    // The name of the certificate ends with that of its kind.
    await page.getByRole('main').getByRole('link', { name: kind.name, exact: true }).first().click();
    await page.getByRole('heading', { level: 1, name: kind.name, exact: true }).waitFor();
    await follow(page, new RegExp(certificate.number));
    await heading(page, new RegExp(certificate.number));
  });

  test('leads from an object to the request that made it', async () => {
    process.env['REQUEST_LOG'] = 'on';
    try {
      const admin = await newAdmin();
      const { id } = await newLocation(admin, { name: 'Quay 7' });
      await newLocation(admin, { name: 'Quay 8' });
      await settle(admin);
      const page = await opened(admin, `/locations/${id}`);
      const [made] = await admin.events.list({ query: { resource_id: id, types: ['location.created'] } });
      await follow(page, made!.request_id ?? '');
      await heading(page, 'Requests');
      await page.getByRole('rowheader', { name: /POST \/v1\/locations/ }).waitFor();
      expect(await page.getByRole('rowheader').count()).toBe(1);
    } finally {
      delete process.env['REQUEST_LOG'];
    }
  });

  test('shows requests that were the same in a row as one, with their number', async () => {
    process.env['REQUEST_LOG'] = 'on';
    try {
      const admin = await newAdmin();
      const { id } = await newLocation(admin, { name: 'Quay 7' });
      for (let n = 0; n < 3; n += 1) await admin.locations.get({ params: { location_id: id } });
      await newLocation(admin, { name: 'Quay 8' });
      await admin.locations.get({ params: { location_id: id } });
      await settle(admin);
      const page = await opened(admin, '/requests');
      const rows = page.getByRole('rowheader').filter({ hasText: '/v1/locations' });
      expect((await rows.allInnerTexts()).map((text) => text.split('\n')[0]!.trim())).toEqual([
        'GET /v1/locations/{location_id}',
        'POST /v1/locations',
        'GET /v1/locations/{location_id} × 3',
        'POST /v1/locations',
      ]);
    } finally {
      delete process.env['REQUEST_LOG'];
    }
  });

  test('says why a request has failed, and how to make it again', async () => {
    process.env['REQUEST_LOG'] = 'on';
    try {
      const admin = await newAdmin();
      const id = admin.admin.userId;
      await admin.try.locations.get({ params: { location_id: id } });
      await admin.try.locations.create({ body: { name: '', status: 'open' } });
      const page = await opened(admin, '/requests?show=failed');
      const main = page.getByRole('main');
      const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
      await press('Details: POST /v1/locations');
      await main.getByRole('listitem').filter({ hasText: 'body.status' }).waitFor();
      expect(await main.getByRole('listitem').allInnerTexts()).toEqual([
        expect.stringMatching(/^body\.name: /),
        expect.stringMatching(/^body\.status: /),
      ]);
      await press('Details: GET /v1/locations/{location_id}');
      await main.getByText('The location does not exist.').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await press('Copy');
      await page.getByRole('status').getByText('Copied.').waitFor();
      const command = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(command).toBe(
        `curl -i --globoff -X GET '${browser.url()}/v1/locations/${id}' \\\n  -H "Authorization: Bearer $API_KEY"`,
      );
      const { stdout } = await promisify(execFile)('bash', ['-c', command], {
        env: { ...process.env, API_KEY: admin.key },
      });
      expect(stdout).toMatch(/^HTTP\/1\.1 404 [^]*\{"detail":"The location does not exist\."\}$/);
    } finally {
      delete process.env['REQUEST_LOG'];
    }
  });

  test('names files as they came, with their size and who added them', async () => {
    const admin = await newAdmin();
    const inspection = await startedInspection(admin, { name: 'Loading bay' });
    const document_id = await newDocument(admin);
    await newFinding(admin, { content: { media: [{ document_id, caption: '' }] } }, inspection);
    const { file_name, uploaded_by_name } = await admin.documents.get({ params: { document_id } });
    const page = await opened(admin, `/inspections/${inspection.id}`);
    await page.getByRole('button', { name: file_name }).waitFor();
    await page.getByText(`${file_name} · 1 byte · ${uploaded_by_name}`).waitFor();
  });

  test('names the file and the connection that an event is about', async () => {
    const admin = await newAdmin();
    const document_id = await newDocument(admin);
    const { file_name } = await admin.documents.get({ params: { document_id } });
    const connection = await newConnection(admin);
    await settle(admin);
    const page = await opened(admin, '/events');
    const rowOf = (type: string) => page.getByRole('row', { name: new RegExp(type) });
    const opening = page.context().waitForEvent('page');
    await rowOf('document.created').getByRole('button', { name: file_name }).click();
    await opening;
    await rowOf('connection.created').getByRole('link', { name: connection.title, exact: true }).click();
    await heading(page, 'Integrations');
    await admin.documents.delete({ params: { document_id } });
    await settle(admin);
    await page.goBack();
    await page.reload();
    await rowOf('document.deleted').getByText(file_name).waitFor();
    expect(await rowOf('document.deleted').getByRole('button').count()).toBe(0);
  });

  test('says on the home what needs attention, or that nothing does, and how many emails wait', async () => {
    const admin = await newAdmin();
    const page = await opened(admin, '');
    await page.getByText('Nothing needs attention.').waitFor();
    const figures = page.locator('.figures > li');
    expect(await figures.last().innerText()).toMatch(/^0\s+Waiting emails$/);
    const tops = await figures.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top));
    expect([...Map.groupBy(tops, (top) => top).values()].map(({ length }) => length)).toEqual([3, 3]);
  });

  test('finds clients and templates by the words of their names', async () => {
    const admin = await newAdmin();
    await newClient(admin, 'Port of Odesa');
    await newClient(admin, 'Airfield');
    await completedInspection(admin, { family: { ...NOTHING_REQUIRED, name: 'Crane, daily' } });
    const page = await opened(admin, '/clients');
    const search = page.getByRole('textbox', { name: /^Beginning of a word of the name/ });
    await search.fill('odesa');
    await search.press('Enter');
    await page.getByRole('link', { name: 'Airfield' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Port of Odesa' }).waitFor();
    await page.goto(`${browser.url()}/admin/templates?q=CRANE`);
    await follow(page, 'Crane, daily');
    await heading(page, 'Crane, daily');
  });

  test('shows inspectors and approvers what is theirs: an inspection, an action, and the decision that awaits them', async () => {
    const admin = await newAdmin();
    const inspector = await signIn(admin, 'inspector');
    const approver = await signIn(admin, 'approver');
    await startedInspection(admin, {
      name: 'Loading bay',
      participants: [{ user_id: inspector.userId, role: 'inspector' }],
    });
    await newAction(admin, { title: 'Tighten it', assignee_id: inspector.userId });
    const { id } = await startedInspection(admin, {
      family: { ...NOTHING_REQUIRED, requires_approval: true },
      approver_id: approver.userId,
      name: 'Crane',
    });
    await advance(admin.key, { id });
    const page = await browser.signedIn(inspector);
    const failed: string[] = [];
    page.on('response', (response) => response.status() >= 400 && failed.push(response.url()));
    await page.goto(`${browser.url()}/admin`);
    await follow(page, /Loading bay/);
    await heading(page, /Loading bay/);
    await settled(page);
    expect([await violationsOf(page), await isTooWide(page)]).toEqual([[], false]);
    await page.getByRole('navigation').getByRole('link', { name: 'Corrective actions' }).click();
    await follow(page, /Tighten it/);
    await heading(page, /Tighten it/);
    await settled(page);
    const other = await browser.signedIn(approver);
    other.on('response', (response) => response.status() >= 400 && failed.push(response.url()));
    await other.goto(`${browser.url()}/admin/inspections`);
    await follow(other, /Crane/);
    await other.getByRole('button', { name: 'Approve' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await other.getByRole('main').getByText('Completed').first().waitFor();
    expect(failed).toEqual([]);
  });

  test('shows a page of its own where there is nothing', async () => {
    const page = await opened(await newAdmin(), '/nonsense');
    await heading(page, 'This page does not exist');
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
    await page.locator('h1:focus', { hasText: 'Home' }).waitFor();
  });

  test.each([
    ['1280', {}],
    ['390', PHONE],
  ])('breaks no rule of WCAG and no word in a window of %s pixels', async (_, size) => {
    const admin = await newAdmin();
    const { id, template_family_id } = await pendingInspection(admin);
    const action = await newAction(admin, { due_at: '2027-03-01T09:00:00Z' });
    const { id: kind_id } = await newAssetKind(admin, { name: 'Lift' });
    const asset = await newAsset(admin, { kind_id, serial: 'SN 4711' });
    const { certificate } = await newCertificate(admin);
    await settle(admin);
    const page = await opened(admin, '', size);
    for (const path of [
      '',
      '/inspections',
      `/inspections/${id}`,
      '/findings',
      `/findings/${action.finding_id}`,
      '/corrective-actions',
      `/corrective-actions/${action.id}`,
      '/reports',
      '/assets',
      `/assets/${asset.id}`,
      '/asset-kinds',
      `/asset-kinds/${kind_id}`,
      `/templates/${template_family_id}`,
      '/certificates',
      `/certificates/${certificate.id}`,
      '/certificate-kinds',
      `/certificate-kinds/${certificate.kind_id}`,
      '/events/1',
      '/requests',
    ]) {
      if (path !== '') await moveTo(page, `/admin${path}`);
      expect([path, await violationsOf(page), await brokenWords(page), await isTooWide(page)]).toEqual([
        path,
        [],
        [],
        false,
      ]);
    }
  });
});
