import * as errors from '../../shared/base/errors.ts';
import { newClientAccount } from '../client-accounts/scenarios.ts';
import { newLocation } from '../locations/scenarios.ts';
import { cleanUp } from '../schedules/fixtures.ts';
import type { Answer, Request } from '../support/call.ts';
import { between, installFaults } from '../support/faults.ts';
import { heardOf, installHearing } from '../support/heard.ts';
import { newPerson, type Person } from '../support/people.ts';

installFaults();
installHearing();

type Sent = Omit<Request, 'as' | 'params'>;

/** The operations of a kind, by what they are called here. */
interface Kind {
  put: (who: Person, external_ref: string, sent: Sent) => Promise<Answer>;
  patch: (who: Person, id: string, body: object) => Promise<Answer>;
  remove: (who: Person, id: string) => Promise<Answer>;
  list: (who: Person, external_ref: string) => Promise<unknown[]>;
}

const KINDS: Record<string, Kind> = {
  locations: {
    put: (who, external_ref, sent) => who.try.locations.upsert({ params: { external_ref }, ...sent }),
    patch: (who, location_id, body) => who.try.locations.update({ params: { location_id }, body }),
    remove: (who, location_id) => who.try.locations.delete({ params: { location_id } }),
    list: (who, external_ref) => who.locations.list({ query: { external_ref } }),
  },
  assets: {
    put: (who, external_ref, sent) => who.try.assets.upsert({ params: { external_ref }, ...sent }),
    patch: (who, asset_id, body) => who.try.assets.update({ params: { asset_id }, body }),
    remove: (who, asset_id) => who.try.assets.delete({ params: { asset_id } }),
    list: (who, external_ref) => who.assets.list({ query: { external_ref } }),
  },
  'client-accounts': {
    put: (who, external_ref, sent) => who.try.clientAccounts.upsert({ params: { external_ref }, ...sent }),
    patch: (who, ca_id, body) => who.try.clientAccounts.update({ params: { ca_id }, body }),
    remove: (who, ca_id) => who.try.clientAccounts.delete({ params: { ca_id } }),
    list: (who, external_ref) => who.clientAccounts.list({ query: { external_ref } }),
  },
};

let person: Person;

beforeEach(async () => {
  person = await newPerson('Harbour');
});

let refs = 0;
const newRef = () => `REF ${(refs += 1)}`;

describe.each(Object.entries(KINDS))('PUT /%s/by-external-ref/{external_ref}', (path, kind) => {
  const { list, patch, remove } = kind;
  const put = (external_ref: string, body: object, who = person, sent: Sent = {}) =>
    kind.put(who, external_ref, { body, ...sent });

  test('201 with the defaults of the POST and where it is, then 200 with the same, and nothing is written', async () => {
    const ref = newRef();
    const body = { name: 'Crane 7', tags: ['crane'] };
    const created = await put(ref, body);
    expect(created.status).toBe(201);
    expect(created.headers['location']).toMatch(new RegExp(`/v1/${path}/${created.body.id}$`));
    expect(created.body).toMatchObject({ ...body, external_ref: ref, metadata: {}, version: 1 });
    const heard = await heardOf({}, async () => {
      const again = await put(ref, { ...body, external_ref: ref });
      expect([again.status, again.body]).toEqual([200, created.body]);
      expect(again.headers['location']).toBeUndefined();
    });
    expect(heard).toEqual([]);
  });

  test('200 sets what the body has, and leaves the rest as it is', async () => {
    const ref = newRef();
    const first = { name: 'Crane 7', tags: ['crane'], metadata: { owner: 'Acme', floor: '2' } };
    const { body: before } = await put(ref, first);
    const metadata = { floor: '3' };
    const heard = await heardOf({}, async () => {
      const { status, body } = await put(ref, { name: 'Crane 8', metadata });
      expect(status).toBe(200);
      expect(body).toEqual({
        ...before,
        name: 'Crane 8',
        metadata: { owner: 'Acme', floor: '3' },
        version: 2,
        updated_at: body.updated_at,
      });
    });
    expect(heard.filter((line) => line.startsWith('event'))).toHaveLength(1);
    expect((await put(ref, { name: 'Crane 8', tags: [] })).body.tags).toEqual([]);
  });

  test.each(['a/b', '100%', '%2F', 'a+b &?#', 'é 座', 'x'.repeat(200)])(
    '200 for the external_ref %s, which is decoded once',
    async (ref) => {
      const { body } = await put(ref, { name: 'Crane 7' });
      expect(body.external_ref).toBe(ref);
      expect((await put(ref, { name: 'Crane 7' })).body.id).toBe(body.id);
    },
  );

  test('422 for an external_ref that is too long, another one in the body, and all else that is wrong', async () => {
    expect((await put('x'.repeat(201), { name: 'Crane 7' })).status).toBe(422);
    const ref = newRef();
    for (const external_ref of [newRef(), null]) {
      const { status, body } = await put(ref, { name: 'Crane 7', external_ref });
      expect([status, body.detail[0].loc]).toEqual([422, ['body', 'external_ref']]);
    }
    const { body } = await put(ref, { tags: [''], version: 3 });
    expect(body.detail.map(({ loc }: { loc: string[] }) => loc[1]).toSorted()).toEqual([
      'name',
      'tags',
      'version',
    ]);
    expect(await list(person, ref)).toEqual([]);
  });

  test('201 for another organization, whose resource is another one', async () => {
    const stranger = await newPerson('Stranger');
    const ref = newRef();
    const { body: own } = await put(ref, { name: 'Own' });
    const { status, body: others } = await put(ref, { name: 'Of others' }, stranger);
    expect([status, others.id === own.id]).toEqual([201, false]);
    expect(await list(person, ref)).toEqual([own]);
  });

  test('one 201, and 200 for all others of ten at the same time: one resource', async () => {
    const ref = newRef();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, number) => put(ref, { name: `Crane ${number}` })),
    );
    const created = answers.filter(({ status }) => status === 201);
    const changed = answers.filter(({ status }) => status === 200);
    expect([created.length, changed.length]).toEqual([1, 9]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const [{ version }] = (await list(person, ref)) as [{ version: number }];
    expect(version).toBe(10);
  });

  test('201 for the external_ref of one that was deleted, or has given it up', async () => {
    const ref = newRef();
    const { body: first } = await put(ref, { name: 'Crane 7' });
    await remove(person, first.id);
    const { status, body: second } = await put(ref, { name: 'Crane 7' });
    expect([status, second.id === first.id]).toEqual([201, false]);
    await patch(person, second.id, { external_ref: newRef() });
    expect((await put(ref, { name: 'Crane 7' })).status).toBe(201);
  });

  /** Lets somebody else act at each moment of a PUT. @param first whether there is a resource before both */
  const overtaken = (
    first: boolean,
    act: (at: { ref: string; id: string }) => Promise<unknown>,
    check: (found: unknown[], put: Answer, at: { ref: string; id: string }) => Promise<void> | void,
  ) => {
    let last: Answer;
    return between({
      prepare: async () => {
        const ref = newRef();
        return { ref, id: first ? ((await put(ref, { name: 'Crane 7' })).body.id as string) : '' };
      },
      work: async ({ ref }) => {
        last = await put(ref, { name: 'Crane 8' });
        expect(last.body).toMatchObject({ external_ref: ref, name: 'Crane 8' });
      },
      act,
      check: async (at) => check(await list(person, at.ref), last, at),
    });
  };

  test('201, or 200 before it, while somebody deletes the resource', async () => {
    const places = await overtaken(
      true,
      ({ id }) => remove(person, id),
      (found, { status, body }) => expect(found).toEqual(status === 201 ? [body] : []),
    );
    expect(places).toBeGreaterThan(3);
  });

  test('201, or 200 before it, while the resource gives its external_ref up', async () => {
    const places = await overtaken(
      true,
      ({ id }) => patch(person, id, { external_ref: null }),
      async (found, { status, body }, { id }) => {
        expect(found).toEqual(status === 201 ? [body] : []);
        const { name } = (await patch(person, id, {})).body;
        expect(name).toBe(status === 201 ? 'Crane 7' : 'Crane 8');
      },
    );
    expect(places).toBeGreaterThan(3);
  });

  test.each([true, false])(
    '200 or 201 while somebody else sets another field (it is there: %s)',
    async (first) => {
      const places = await overtaken(
        first,
        ({ ref }) => put(ref, { name: 'Crane 8', tags: ['theirs'] }),
        (found) => {
          expect(found).toEqual([expect.objectContaining({ name: 'Crane 8', tags: ['theirs'] })]);
        },
      );
      expect(places).toBeGreaterThan(2);
    },
  );

  test('If-Match: 404 where nothing has the external_ref, 409 for another version, 200 for its own', async () => {
    const ref = newRef();
    const headers = { 'If-Match': '"1"' };
    const guarded = (name: string) => put(ref, { name }, person, { headers });
    expect((await guarded('Crane 7')).status).toBe(404);
    expect(await list(person, ref)).toEqual([]);
    await put(ref, { name: 'Crane 7' });
    expect((await guarded('Crane 8')).status).toBe(200);
    const late = await guarded('Crane 9');
    expect([late.status, late.headers['x-error-code']]).toEqual([409, errors.versionMismatch.code]);
  });
});

describe('PUT /locations/by-external-ref/{external_ref}', () => {
  const put = (external_ref: string, body: object) => KINDS['locations']!.put(person, external_ref, { body });

  test('409 for another client account, which nothing but a transfer changes, and 200 for its own', async () => {
    const ref = newRef();
    const { id: client_account_id } = await newClientAccount(person);
    const { body } = await put(ref, { name: 'Crane 7', client_account_id });
    expect(body.client_account_id).toBe(client_account_id);
    const { status, body: same } = await put(ref, { name: 'Crane 8', client_account_id });
    expect([status, same.name]).toEqual([200, 'Crane 8']);
    const other = await put(ref, { name: 'Crane 9', client_account_id: null });
    expect([other.status, other.headers['x-error-code']]).toEqual([409, errors.fieldsFixed.code]);
    expect(other.body.detail).toContain('client_account_id');
    expect(await person.locations.list({ query: { external_ref: ref } })).toEqual([same]);
  });

  test('200 for one that was merged into another one, which is changed and keeps its own external_ref', async () => {
    const ref = newRef();
    const { body: merged } = await put(ref, { name: 'Crane 7' });
    const into = await newLocation(person);
    await person.locations.merge({ params: { location_id: merged.id }, body: { into: into.id } });
    const { status, body } = await put(ref, { name: 'Crane 8', external_ref: ref });
    expect([status, body.id, body.name, body.external_ref]).toEqual([200, into.id, 'Crane 8', null]);
    const [found] = await person.locations.list({ query: { external_ref: ref } });
    expect(found).toEqual(body);
    await cleanUp(person);
    await person.locations.delete({ params: { location_id: into.id } });
    expect((await put(ref, { name: 'Crane 9' })).status).toBe(404);
  });

  test('400 for a parent that does not exist, as for the POST: nothing is created', async () => {
    const ref = newRef();
    const stranger = await newPerson('Stranger');
    const { id: parent_id } = await newLocation(stranger);
    expect((await put(ref, { name: 'Crane 7', parent_id })).status).toBe(400);
    expect(await person.locations.list({ query: { external_ref: ref } })).toEqual([]);
  });
});

describe('PUT /assets/by-external-ref/{external_ref}', () => {
  test('200 for a decommissioned one, which stays decommissioned until a status says otherwise', async () => {
    const ref = newRef();
    const put = (body: object) => KINDS['assets']!.put(person, ref, { body });
    const { body } = await put({ name: 'Lift A' });
    await person.assets.decommission({ params: { asset_id: body.id }, body: {} });
    const changed = await put({ name: 'Lift B' });
    expect([changed.status, changed.body]).toMatchObject([200, { name: 'Lift B', status: 'decommissioned' }]);
    expect((await put({ name: 'Lift B', status: 'in_service' })).body).toMatchObject({
      id: body.id,
      status: 'in_service',
    });
  });
});
