import { as } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';
import { newConnection } from './fixtures.ts';
import { failing, useMemoryVendor } from './memory-vendor.ts';

let person: Person;
let admin: SignedIn;

beforeAll(async () => {
  person = await newPerson('Verified');
  admin = await signIn(person);
});

describe('POST /app/integrations/connections/{connection_id}/verify', () => {
  const vendor = useMemoryVendor();

  test('200 verifyConnection with what the vendor says of the credential now, of which others hear once', async () => {
    const { id, last_verified_at } = await newConnection(person);
    const verify = () => as(admin).integrations.verifyConnection({ params: { connection_id: id } });
    const good = await verify();
    expect(good).toMatchObject({ status: 'active', last_error: null, version: 2 });
    expect(good.last_verified_at > last_verified_at!).toBe(true);
    vendor.beforeCall = () => {
      throw failing({ kind: 'unauthorized' });
    };
    for (const version of [3, 4])
      expect(await verify()).toMatchObject({
        status: 'error',
        last_error: { code: 'unauthorized' },
        version,
      });
    vendor.beforeCall = () => undefined;
    expect(await verify()).toMatchObject({ status: 'active', last_error: null });
  });

  test('503 when the vendor does not answer now, and the connection stays as it is', async () => {
    const { id, version } = await newConnection(person);
    const params = { connection_id: id };
    vendor.beforeCall = () => {
      throw failing({ kind: 'outage' });
    };
    expect((await as(admin).try.integrations.verifyConnection({ params })).status).toBe(503);
    vendor.beforeCall = () => undefined;
    expect((await person.integrations.getConnection({ params })).version).toBe(version);
  });
});
