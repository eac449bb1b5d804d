import fc from 'fast-check';
import { wordFilter } from '../../shared/domain/words.ts';
import { newAsset } from '../assets/scenarios.ts';
import { newClientAccount } from '../client-accounts/scenarios.ts';
import { newConnection, newDirectory, newSource } from '../integrations/fixtures.ts';
import { useMemoryVendor } from '../integrations/memory-vendor.ts';
import { newIssue } from '../issues/fixtures.ts';
import { newRegion } from '../regions/scenarios.ts';
import { newSchedule } from '../schedules/fixtures.ts';
import type { Answer } from '../support/call.ts';
import { installFaults, withFault } from '../support/faults.ts';
import { newMember } from '../support/notices.ts';
import { newPerson, type Person } from '../support/people.ts';
import { runs } from '../support/scale.ts';
import { draftedFamily, publishedFamily } from '../templates/fixtures.ts';

installFaults();
useMemoryVendor().put('b', { i1: { name: 'Site 1', kind: 'Bldg', where: 'Street 1' } });

type Query = Record<string, string | number>;

/** A list that is searched. */
interface Searched {
  /** @returns its id */
  make: (by: Person, name: string) => Promise<string>;
  rename?: (by: Person, id: string, name: string) => Promise<Answer>;
  list: (by: Person, query: Query) => Promise<Answer>;
  /** Another filter, that all pass and that none passes. */
  filters?: readonly [all: Query, none: Query];
}

const idOf = async (made: Promise<{ id: string }>): Promise<string> => (await made).id;

const families = new Map<Person, string>();
const familyOf = async (by: Person): Promise<string> => {
  const id = families.get(by) ?? (await publishedFamily(by.key)).id;
  families.set(by, id);
  return id;
};

const connections = new Map<Person, string>();
const connectionOf = async (by: Person): Promise<string> => {
  const id = connections.get(by) ?? (await newConnection(by)).id;
  connections.set(by, id);
  return id;
};

let mailboxes = 0;

/** Found by rows of their own. */
const INDEXED = {
  assets: {
    make: (by, name) => idOf(newAsset(by, { name })),
    rename: (by, asset_id, name) => by.try.assets.update({ params: { asset_id }, body: { name } }),
    list: (by, query) => by.try.assets.list({ query }),
    filters: [{ status: 'in_service' }, { status: 'decommissioned' }],
  },
  'client accounts': {
    make: (by, name) => idOf(newClientAccount(by, { name })),
    rename: (by, ca_id, name) => by.try.clientAccounts.update({ params: { ca_id }, body: { name } }),
    list: (by, query) => by.try.clientAccounts.list({ query }),
    filters: [{ is_active: 'true' }, { is_active: 'false' }],
  },
  issues: {
    make: (by, title) => idOf(newIssue(by, { title })),
    rename: (by, issue_id, title) => by.try.issues.update({ params: { issue_id }, body: { title } }),
    list: (by, query) => by.try.issues.list({ query }),
    filters: [{ status: 'new' }, { status: 'closed' }],
  },
  schedules: {
    make: async (by, title) => idOf(newSchedule(by, { title, template_family_id: await familyOf(by) })),
    rename: (by, schedule_id, title) => by.try.schedules.update({ params: { schedule_id }, body: { title } }),
    list: (by, query) => by.try.schedules.list({ query }),
    filters: [{ status: 'active' }, { status: 'ended' }],
  },
} satisfies Readonly<Record<string, Searched>>;

/** Read in their own order. */
const READ = {
  'template families': {
    make: (by, name) => idOf(draftedFamily(by.key, { name })),
    rename: (by, family_id, name) => by.try.families.update({ params: { family_id }, body: { name } }),
    list: (by, query) => by.try.families.list({ query }),
    filters: [{ archived: 'false' }, { archived: 'true' }],
  },
  regions: {
    make: (by, name) => idOf(newRegion(by, { name })),
    rename: (by, region_id, name) => by.try.regions.update({ params: { region_id }, body: { name } }),
    list: (by, query) => by.try.regions.list({ query }),
    filters: [{}, { external_ref: 'another' }],
  },
  members: {
    make: (by, name) => newMember(by, name, { email: `zoe-${(mailboxes += 1)}@example.com` }),
    list: (by, query) => by.try.members.list({ query }),
    filters: [{ role: 'inspector' }, { role: 'approver' }],
  },
  'sources of a connection': {
    make: async (by, name) => idOf(newSource(by, { name, connection_id: await connectionOf(by) })),
    rename: (by, source_id, name) =>
      by.try.integrations.updateSource({ params: { source_id }, body: { name } }),
    list: async (by, query) =>
      by.try.integrations.listSources({ params: { connection_id: await connectionOf(by) }, query }),
  },
  'sources of members': {
    make: (by, name) => idOf(newDirectory(by, { name })),
    list: (by, query) => by.try.integrations.listDirectorySources({ query }),
  },
} satisfies Readonly<Record<string, Searched>>;

const idsIn = ({ body }: Answer): string[] =>
  body.map(({ user_id, id }: { user_id?: string; id?: string }) => user_id ?? id);

/** The ids on each page of a list. */
const pagesOf = async ({ list }: Searched, by: Person, query: Query): Promise<string[][]> => {
  const answer = await list(by, query);
  const next = /<([^>]*)>; *rel="?next/.exec(answer.headers['link'] ?? '')?.[1];
  const rest = next ? Object.fromEntries(new URL(next, 'http://host').searchParams) : undefined;
  return [idsIn(answer), ...(rest ? await pagesOf({ list } as Searched, by, rest) : [])];
};

describe.each<[string, Searched]>(Object.entries({ ...INDEXED, ...READ }))('q of %s', (_, searched) => {
  const { make, list, filters } = searched;

  test('finds the beginnings of words, whatever their case, alone and with other filters', async () => {
    const [by, other] = [await newPerson('Search'), await newPerson('Elsewhere')];
    const quay = await make(by, 'Grand Élan Quay');
    const ostend = await make(by, 'Quay (Ostend)');
    const crane = await make(by, 'クレーン 七号 one two three sixth');
    await make(other, 'Grand Élan Quay');
    const found = async (q: string, query: Query = {}) => idsIn(await list(by, { ...query, q }));
    expect(await found('éL')).toEqual([quay]);
    expect(await found('E\u0301lan')).toEqual([quay]);
    expect((await found('QUAY')).toSorted()).toEqual([quay, ostend].toSorted());
    expect(await found('ost qu')).toEqual([ostend]);
    expect(await found('クレ')).toEqual([crane]);
    expect(await found('七')).toEqual([crane]);
    expect(await found('three')).toEqual([crane]);
    for (const q of ['uay', 'sixth', 'elsewhere', 'quay tower', '#'])
      expect([q, await found(q)]).toEqual([q, []]);
    const [all, none] = filters ?? [{}, { updated_since: '2999-01-01T00:00:00Z' }];
    expect((await found('quay', all)).toSorted()).toEqual([quay, ostend].toSorted());
    expect(await found('quay', none)).toEqual([]);
  });

  test('finds the same page by page; a cursor is of one search', async () => {
    const by = await newPerson('Pages');
    for (const name of ['Quay West', 'Quad quay', 'Tower', 'South quay']) await make(by, name);
    const whole = idsIn(await list(by, { q: 'qua' }));
    expect(whole).toHaveLength(3);
    expect(await pagesOf(searched, by, { q: 'qua', limit: 1 })).toEqual(whole.map((id) => [id]));
    const { headers } = await list(by, { q: 'qua', limit: 1 });
    const cursor = new URL(/<([^>]*)>/.exec(headers['link']!)![1]!, 'http://host').searchParams.get(
      'cursor',
    )!;
    expect((await list(by, { q: 'quay', limit: 1, cursor })).status).toBe(422);
    expect((await list(by, { q: '' })).status).toBe(422);
    expect((await list(by, { q: 'q'.repeat(201) })).status).toBe(422);
  });
});

const RENAMED = Object.entries<Searched>({ ...INDEXED, ...READ }).filter(([, { rename }]) => rename);

test.each(RENAMED)('q of %s finds a new name, and not the one before', async (_, { make, rename, list }) => {
  const by = await newPerson('Names');
  const id = await make(by, 'Grand Quay');
  expect((await rename!(by, id, 'Grand Harbour')).status).toBe(200);
  expect(idsIn(await list(by, { q: 'harb' }))).toEqual([id]);
  expect(idsIn(await list(by, { q: 'grand' }))).toEqual([id]);
  expect(idsIn(await list(by, { q: 'quay' }))).toEqual([]);
});

describe.each<[string, Searched]>(Object.entries(INDEXED))('q of %s', (_, searched) => {
  const { make, list } = searched;

  test('costs as much among many as among few', async () => {
    const by = await newPerson('Cost');
    const id = await make(by, 'Quay');
    const callsFor = async () => {
      const calls: string[] = [];
      await withFault(
        ({ command, input, send }) => {
          if (command === 'Query') calls.push(`Query of ${String(input['Limit'])}`);
          if (command === 'BatchGetItem') calls.push(command);
          return send();
        },
        async () => expect(idsIn(await list(by, { q: 'quay', limit: 1 }))).toEqual([id]),
      );
      return calls;
    };
    const among = await callsFor();
    for (const n of Array(12).keys()) await make(by, `Tower ${n}`);
    expect(await callsFor()).toEqual(among);
    expect(among).toContain('Query of 2');
  });
});

test('q finds what the words of all names say, in the order of the words, page by page', async () => {
  const by = await newPerson('Any');
  const made: { id: string; name: string; external_ref: string | null }[] = [];
  const word = fc.oneof(
    fc.constantFrom('a', 'ab', 'AB-1', 'ＡＢ', 'É', '(b', '甲乙', 'ا', 'ſ'),
    fc.string({ maxLength: 3 }),
  );
  const text = fc.array(word, { minLength: 1, maxLength: 7 }).map((words) => words.join(' '));
  const name = text.filter((each) => /^[^\p{C}]*\p{L}[^\p{C}]*$/u.test(each));
  await fc.assert(
    fc.asyncProperty(name, fc.option(name), name, async (given, external_ref, q) => {
      const body = { name: given, external_ref: external_ref && `${external_ref} ${made.length}` };
      made.push(await by.clientAccounts.create({ body }));
      const whole = idsIn(await INDEXED['client accounts'].list(by, { q }));
      expect(whole.toSorted()).toEqual(
        made
          .filter(wordFilter(q))
          .map(({ id }) => id)
          .toSorted(),
      );
      const pages = await pagesOf(INDEXED['client accounts'], by, { q, limit: 2 });
      expect(pages.flat()).toEqual(whole);
    }),
    { numRuns: runs(30) },
  );
});
