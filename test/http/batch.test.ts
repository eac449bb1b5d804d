import * as createLocationBatch from '../../functions/locations/create-location-batch.ts';
import * as errors from '../../shared/base/errors.ts';
import type { Location } from '../../shared/schemas/location.ts';
import { newFinding } from '../corrective-actions/fixtures.ts';
import { DAILY, dateIn, newSchedule } from '../schedules/fixtures.ts';
import { as } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';

let person: Person;

beforeAll(async () => {
  person = await newPerson('Batches');
});

const send = (rows: unknown, headers: Record<string, string> = {}) =>
  person.try.locations.createBatch({ body: { rows }, headers });
const statusesOf = ({ body }: { body: { results: { status: string }[] } }) =>
  body.results.map(({ status }) => status);
const named = (q: string) => person.locations.list({ query: { q } });

describe('a batch', () => {
  test('200 judges each row by itself, in their order, as a single request would be', async () => {
    const parent_id = '00000000-0000-4000-8000-000000000000';
    const answer = await send([
      { name: 'Alone A' },
      { name: '' },
      { name: 'Alone B', parent_id },
      { name: 'Alone C', size: 3 },
      'none',
      { name: 'Alone D' },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body.results.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(statusesOf(answer)).toEqual(['created', 'invalid', 'invalid', 'invalid', 'invalid', 'created']);
    expect(answer.body.results[2]).toEqual({
      index: 2,
      status: 'invalid',
      detail: errors.referenceNotFound('parent_id').detail,
    });
    expect(answer.body.results[3].detail).toMatchObject([{ loc: ['body', 'size'], type: 'extra_forbidden' }]);
    expect((await named('Alone')).map(({ name }: Location) => name)).toEqual(['Alone A', 'Alone D']);
    const { response } = answer.body.results[0];
    expect(await person.locations.get({ params: { location_id: response.id } })).toEqual(response);
  });

  test('200 lets a row that is nested too deeply for any walk through it fail alone', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const answer = await as(person).call(createLocationBatch, {
      raw: Buffer.from(`{"rows":[{"name":"Deep A"},{"name":${deep}},{"name":"Deep B"}]}`),
    });
    expect(statusesOf(answer)).toEqual(['created', 'invalid', 'created']);
    expect(await named('Deep')).toHaveLength(2);
  });

  test('200 carries a row with a client_mutation_id out once, and shows what it has created', async () => {
    const rows = [{ name: 'Once', client_mutation_id: 'once' }];
    const [first, second] = [await send(rows), await send(rows)];
    expect([...statusesOf(first), ...statusesOf(second)]).toEqual(['created', 'unchanged']);
    expect(second.body.results[0].response).toEqual(first.body.results[0].response);
    const other = await send([{ name: 'Twice', client_mutation_id: 'once' }]);
    expect(other.body.results).toEqual([
      { index: 0, status: 'conflict', detail: errors.mutationReused().detail },
    ]);
    expect(await named('Once')).toHaveLength(1);
    const { body } = await (await newPerson('Other')).try.locations.createBatch({ body: { rows } });
    expect(body.results[0].status).toBe('created');
  });

  test('200 knows a client_mutation_id within its operation, also of a row that has created nothing', async () => {
    const rows = [{ name: 'Shared', external_ref: 'shared', client_mutation_id: 'shared' }];
    expect(statusesOf(await send(rows))).toEqual(['created']);
    const accounts = [{ name: 'Shared account', client_mutation_id: 'shared' }];
    expect(statusesOf(await person.try.clientAccounts.createBatch({ body: { rows: accounts } }))).toEqual([
      'created',
    ]);
    const again = [{ ...rows[0], client_mutation_id: 'shared again' }];
    expect([...statusesOf(await send(again)), ...statusesOf(await send(again))]).toEqual([
      'unchanged',
      'unchanged',
    ]);
  });

  test('200 lets a row that has failed be carried out later with the same client_mutation_id', async () => {
    const row = { name: 'Later', external_ref: 'later', client_mutation_id: 'later', region_id: null };
    const failing = { ...row, parent_id: '00000000-0000-4000-8000-000000000000' };
    expect(statusesOf(await send([failing]))).toEqual(['invalid']);
    expect(statusesOf(await send([row]))).toEqual(['created']);
  });

  test('200 finds by its external_ref what exists already', async () => {
    const rows = [{ name: 'Known', external_ref: 'known' }];
    const [first, second] = [await send(rows), await send([...rows, ...rows])];
    expect(statusesOf(second)).toEqual(['unchanged', 'unchanged']);
    expect(second.body.results[1].response).toEqual(first.body.results[0].response);
  });

  test('200 of two at the same time creates each row once', async () => {
    const rows = Array.from({ length: 20 }, (_, at) => ({ name: 'Race', client_mutation_id: `race-${at}` }));
    await Promise.all([send(rows), send(rows)]);
    await send(rows);
    expect(await named('Race')).toHaveLength(20);
  });

  test('200 with the same reply for a repeated idempotency key', async () => {
    const headers = { 'Idempotency-Key': 'batch' };
    const rows = [{ name: 'Keyed' }, { name: 'Keyed' }];
    const [first, second] = [await send(rows, headers), await send(rows, headers)];
    expect(second.body).toEqual(first.body);
    expect(second.body.results).toHaveLength(2);
    expect(await named('Keyed')).toHaveLength(2);
  });

  test('422 as a whole for too many rows, or none', async () => {
    const rows = Array.from({ length: 201 }, () => ({ name: 'Many' }));
    expect((await send(rows)).status).toBe(422);
    expect((await send('none')).status).toBe(422);
    expect(await named('Many')).toEqual([]);
    expect(statusesOf(await send(rows.slice(1)))).toEqual(Array(200).fill('created'));
  });

  test('200 for every kind, once for each external_ref or client_mutation_id', async () => {
    const { id: template_family_id } = await publishedFamily(person.key);
    const { id: finding_id } = await newFinding(person);
    const { id: schedule_id } = await newSchedule(person);
    const { clientAccounts, assets, inspections, correctiveActions, schedules } = person.try;
    const both = (row: object) => ({
      body: { rows: [row, row].map((each) => ({ ...each, external_ref: 'each' })) },
    });
    const answers = {
      createClientAccountBatch: await clientAccounts.createBatch(both({ name: 'Acme' })),
      createAssetBatch: await assets.createBatch(both({ name: 'Lift' })),
      createInspectionBatch: await inspections.createBatch(both({ template_family_id })),
      createCorrectiveActionBatch: await correctiveActions.createBatch(
        both({ finding_id, title: 'Tighten it' }),
      ),
      createScheduleBatch: await schedules.createBatch(
        both({ title: 'Daily walk', recurrence: DAILY, template_family_id }),
      ),
    };
    for (const [operation, answer] of Object.entries(answers)) {
      expect([operation, ...statusesOf(answer)]).toEqual([operation, 'created', 'unchanged']);
      const [one, same] = answer.body.results;
      expect(same.response.id).toBe(one.response.id);
    }
    const override = { occurrence_date: dateIn(3), action: 'skip', client_mutation_id: 'skip' };
    // The dates of a schedule know no external_ref.
    const createScheduleOverrideBatch = await schedules.createOverrideBatch({
      params: { schedule_id },
      body: { rows: [override, override, { ...override, client_mutation_id: 'again' }] },
    });
    expect(statusesOf(createScheduleOverrideBatch)).toEqual(['created', 'unchanged', 'conflict']);
  });
});
