import fc from 'fast-check';
import { lineOf, rowIn } from '../../infra/operator/organizations/folder.ts';
import type { Caller } from '../../shared/base/caller.ts';
import { type Key, keys } from '../../shared/table/keys.ts';
import { getRow } from '../../shared/table/rows.ts';
import { writeRow } from '../../shared/table/single-write.ts';
import * as write from '../../shared/table/writes.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { contentWith, field } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { runs } from '../support/scale.ts';
import { publishedFamily } from '../templates/fixtures.ts';

/** What every object inherits, and other names that a program may take for its own. */
const HOSTILE = [...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'name', 'length', 'then', '0']
  .filter((name) => name !== '__proto__')
  .toSorted();

let person: Person;
let caller: Caller;

beforeAll(async () => {
  person = await newPerson('Hostile names');
  ({ caller } = person);
});

describe('names that a client has chosen', () => {
  const named = (values: fc.Arbitrary<unknown>) =>
    fc.dictionary(fc.oneof(fc.constantFrom(...HOSTILE), fc.stringMatching(/^[a-z]{1,3}$/)), values, {
      maxKeys: 4,
      noNullPrototype: true,
    });
  const { anything } = fc.letrec<{ anything: unknown }>((tie) => ({
    anything: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('text', 7, true, null),
      fc.array(tie('anything'), { maxLength: 3 }),
      named(tie('anything')),
      fc.constantFrom({ constructor: { name: 'Set' } }, { constructor: { name: 'Map' } }),
    ),
  }));

  test('are stored and read as they are, wherever they stand', async () => {
    const key: Key<{ given: unknown }> = { pk: keys.all(caller, 'DOCUMENT'), sk: crypto.randomUUID() };
    await fc.assert(
      fc.asyncProperty(named(anything), async (given) => {
        await writeRow(caller, write.put({ ...key, given }));
        const row = await getRow(caller, key);
        expect(row).toEqual({ ...key, given });
        expect(rowIn(lineOf(row as never))).toEqual({ ...key, given });
        await writeRow(caller, write.update(key, { set: { given: [given] } }));
        expect(await getRow(caller, key)).toEqual({ ...key, given: [given] });
      }),
      { numRuns: runs(40) },
    );
  });

  test.each(HOSTILE)('are kept as metadata and found by it, or refused clearly: %s', async (name) => {
    const metadata = { [name]: 'kept' };
    const { status, body } = await person.try.clientAccounts.create({ body: { name: 'Acme', metadata } });
    if (!/^[A-Za-z]/.test(name)) {
      expect(status).toBe(422);
      expect(JSON.stringify(body)).toContain(name);
      return;
    }
    expect([status, body.metadata]).toEqual([201, metadata]);
    const params = { ca_id: body.id };
    expect((await person.try.clientAccounts.get({ params })).body).toEqual(body);
    const query = { [`metadata.${name}`]: 'kept' };
    expect(await person.clientAccounts.list({ query })).toEqual([body]);
    const changed = { metadata: { [name]: 'changed' } };
    expect((await person.clientAccounts.update({ params, body: changed })).metadata).toEqual({
      [name]: 'changed',
    });
    const removed = { metadata: { [name]: null } };
    expect((await person.clientAccounts.update({ params, body: removed })).metadata).toEqual({});
  });

  test('are keys of start fields: nothing is answered that nobody has answered', async () => {
    const key = 'constructor';
    const { id: template_family_id } = await publishedFamily(person.key, {
      content: {
        ...contentWith(field(2, 'text', { visible_if: { start_key: key, op: 'not_empty' } })),
        start: { fields: [{ key, type: 'text', label: 'Constructor', required: true }] },
      },
    });
    const inspection = await newInspection(person, { template_family_id });
    expect(inspection).toMatchObject({ start_answers: {}, progress: { total: 0 } });
    const params = { inspection_id: inspection.id };
    await person.inspections.start({ params });
    const refused = await person.try.inspections.advance({ params });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ detail: expect.stringContaining('Constructor: required') });
    const answered = await person.inspections.update({ params, body: { start_answers: { [key]: 'Ada' } } });
    expect(answered).toMatchObject({ start_answers: { [key]: 'Ada' }, progress: { total: 1 } });
    expect(await person.inspections.get({ params })).toEqual(answered);
  });
});
