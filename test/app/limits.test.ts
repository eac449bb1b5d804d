import { MAX_CHANGES, MAX_REQUESTS } from '../../shared/organizations/people/requests.ts';
import { personOf } from '../../shared/organizations/people/sessions.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import * as write from '../../shared/table/writes.ts';
import { as } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { newPerson } from '../support/people.ts';
import { again, type SignedIn, signIn } from '../support/signed-in.ts';

describe('the requests of a person who has signed in', () => {
  const clock = useClock();
  let admin: SignedIn;

  beforeEach(async () => {
    clock.pass(60 - ((Date.now() / 1_000) % 60));
    admin = await signIn(await newPerson('Harbour'));
  });

  /** So many requests have been counted in this minute. */
  const counted = ({ caller, identity }: SignedIn, what: string, count: number) => {
    const minute = String(Math.floor(Date.now() / 60_000));
    const key = keys.visits(what, 'person', personOf(identity), minute);
    const row = write.put({ ...key, count, ttl: Math.floor(Date.now() / 1_000) + 7_200 });
    return change(caller, () => ({ writes: [write.systemWrite(row)], reply: undefined }));
  };
  const read = async (who: { session: string }) => (await as(who).try.app.getOwnProfile()).status;
  const save = async (who: { session: string }) =>
    (await as(who).try.app.updateOwnProfile({ body: { locale: 'de' } })).status;

  test(`are ${MAX_REQUESTS} in a minute, with all of their sessions`, async () => {
    await counted(admin, 'appRequest', MAX_REQUESTS - 1);
    const second = { session: await again(admin) };
    expect([await read(admin), await read(second), await read(admin), await save(second)]).toEqual([
      200, 429, 429, 429,
    ]);
    const answer = await as(admin).try.app.getOwnProfile();
    expect(answer.headers['x-error-code']).toBe('rate_limit_exceeded');
    clock.pass(60);
    expect(await read(second)).toBe(200);
  });

  test(`may change something ${MAX_CHANGES} times, and go on reading`, async () => {
    await counted(admin, 'appChange', MAX_CHANGES - 1);
    expect([await save(admin), await save(admin), await read(admin)]).toEqual([200, 429, 200]);
  });

  test('are not those of somebody else', async () => {
    await counted(admin, 'appRequest', MAX_REQUESTS);
    const other = await signIn({ caller: admin.caller });
    expect([await read(admin), await read(other)]).toEqual([429, 200]);
  });
});
