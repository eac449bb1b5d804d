import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../infra/catalogue.ts';
import { jsonSchemas } from '../../infra/openapi/document/schemas.ts';
import { addVendor } from '../../shared/integrations/vendors.ts';
import { NewConnection } from '../../shared/schemas/integrations/connection.ts';
import { CatalogEntry } from '../../shared/schemas/integrations/overview.ts';
import { newPerson } from '../support/people.ts';
import { sync, syncDirectory } from './fixtures.ts';
import { paper, PAPER_SECRET } from './second-vendor.ts';

// This is all that a second vendor needs.
addVendor(paper);

describe('another vendor', () => {
  test('is connected, read and synced by the same operations and the same worker', async () => {
    const person = await newPerson('Paper');
    const connect = (credential: object, vendor = 'paper') =>
      person.try.integrations.createConnection({ body: { vendor, title: 'Paper', credential } });
    const { status, body: connection } = await connect({ secret: PAPER_SECRET });
    expect([status, connection.status, connection.account.name]).toEqual([201, 'active', 'Paper']);
    expect((await connect({ secret: 'wrong' })).body).toMatchObject({ status: 'error' });
    expect((await connect({ api_token: PAPER_SECRET })).status).toBe(422);
    const params = { connection_id: connection.id };
    expect(await person.integrations.listItems({ params, query: { board_id: 'a' } })).toHaveLength(12);
    const source = await person.integrations.createSource({
      params,
      body: { name: 'Places', target_ref: 'locations', board_id: 'a', mappings: { name: 'title' } },
    });
    expect((await sync(person, source)).counts).toMatchObject({ created: 12, failed: 0 });
    expect((await sync(person, source)).counts).toMatchObject({ unchanged: 12 });
    expect(await person.locations.list()).toHaveLength(12);
    const directory = await person.integrations.createDirectorySource({
      body: { connection_id: connection.id, name: 'People' },
    });
    // The people of this vendor have no email addresses.
    expect((await syncDirectory(person, directory)).counts).toMatchObject({ read: 3, failed: 3 });
    const of = { params: { vendor: 'paper' } };
    expect(await person.integrations.getStatus(of)).toMatchObject({ status: 'degraded' });
    expect(await person.integrations.listActivity(of)).not.toHaveLength(0);
  });

  test('is in the catalog and in the API reference, and others are refused', async () => {
    const person = await newPerson('Catalog');
    const entries = await person.integrations.getCatalog();
    const ids = entries.map(({ vendor }: { vendor: string }) => vendor);
    expect(ids).toEqual(['monday', 'paper']);
    const { components } = jsonSchemas([NewConnection], [CatalogEntry]);
    expect(components['VendorId']).toMatchObject({ type: 'string', enum: ids });
    const credential = { api_token: 'x'.repeat(20) };
    const body = { vendor: 'stone', title: 'Stone', credential };
    expect((await person.try.integrations.createConnection({ body })).body.detail).toMatchObject([
      { loc: ['body', 'vendor'], type: 'enum', msg: "Input should be 'monday' or 'paper'" },
    ]);
    const params = { vendor: 'stone' };
    expect((await person.try.integrations.getStatus({ params })).status).toBe(404);
  });

  test('finds nothing of the first one outside its folder', async () => {
    // What `npm run sdk` writes repeats the reference.
    const own = /^(shared\/integrations\/monday|infra\/local\/monday|infra\/sdk\/(dist|generated))\//;
    // Its line in the list, and the option by which its stand-in is started.
    const named = new Set(['shared/integrations/vendors.ts', 'infra/local/start.ts']);
    const found: string[] = [];
    for await (const file of glob('{functions,shared,infra}/**/*.ts', { cwd: ROOT })) {
      if (own.test(file) || named.has(file)) continue;
      // The first day of the week has the same name.
      const isWeekday = /tuesday|weekday|week_starts_on|(easter|second|on) monday/i;
      const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
      found.push(...lines.filter((line) => /monday/i.test(line) && !isWeekday.test(line)));
    }
    expect(found).toEqual([]);
  });
});
