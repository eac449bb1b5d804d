import * as createConnection from '../../functions/integrations/create-connection.ts';
import * as createDirectorySource from '../../functions/integrations/create-directory-source.ts';
import * as createSource from '../../functions/integrations/create-source.ts';
import * as listItems from '../../functions/integrations/list-items.ts';
import * as listLocations from '../../functions/locations/list-locations.ts';
import { vendors } from '../../shared/integrations/vendors.ts';
import { as } from '../support/call.ts';
import { newPerson } from '../support/people.ts';
import { sync, syncDirectory } from './fixtures.ts';
import { paper, PAPER_SECRET } from './second-vendor.ts';

// The schema of ids is made from the compiled list of vendors, so the second one stands in the place of the first.
Object.assign(vendors, { monday: { ...paper, id: 'monday' } });

describe('another vendor', () => {
  test('is connected, read and synced by the same operations and the same worker', async () => {
    const person = await newPerson('Paper');
    const connect = (credential: object) =>
      as(person).post(createConnection, { body: { vendor: 'monday', title: 'Paper', credential } });
    const { status, body: connection } = await connect({ secret: PAPER_SECRET });
    expect([status, connection.status, connection.account.name]).toEqual([201, 'active', 'Paper']);
    expect((await connect({ secret: 'wrong' })).body).toMatchObject({ status: 'error' });
    expect((await connect({ api_token: PAPER_SECRET })).status).toBe(422);
    const params = { connection_id: connection.id };
    expect(await as(person).must.get(listItems, { params, query: { board_id: 'a' } })).toHaveLength(12);
    const source = await as(person).must.post(createSource, {
      params,
      body: { name: 'Places', target_ref: 'locations', board_id: 'a', mappings: { name: 'title' } },
    });
    expect((await sync(person, source)).counts).toMatchObject({ created: 12, failed: 0 });
    expect((await sync(person, source)).counts).toMatchObject({ unchanged: 12 });
    expect(await as(person).must.get(listLocations)).toHaveLength(12);
    const directory = await as(person).must.post(createDirectorySource, {
      body: { connection_id: connection.id, name: 'People' },
    });
    // The people of this vendor have no email addresses.
    expect((await syncDirectory(person, directory)).counts).toMatchObject({ read: 3, failed: 3 });
  });
});
