import { newEvent } from '../../../infra/local/event.ts';
import { knownRepliesOf } from '../../../shared/http/versions.ts';
import { answering, RAIL, saved } from '../../answers/fixtures.ts';
import { newInspection, newLocation } from '../../inspections/fixtures.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { draftedFamily } from '../../templates/fixtures.ts';

let person: Person;

beforeEach(async () => {
  person = await newPerson('Reader');
});

const eventWith = (...values: string[]) =>
  newEvent(
    { resource: '/v1/org', params: {} },
    {
      method: 'GET',
      path: '/v1/org',
      query: '',
      rawHeaders: values.flatMap((value) => ['if-none-match', value]),
      body: Buffer.alloc(0),
      sourceIp: '127.0.0.1',
    },
  );

describe('If-None-Match', () => {
  test.each([
    [['"1"'], ['1']],
    [['W/"1-a_b"'], ['1-a_b']],
    [['"a,b" , W/"c",,"d"'], ['a,b', 'c', 'd']],
    [
      ['"a"', '"b", "c"'],
      ['a', 'b', 'c'],
    ],
    [['""'], ['']],
    [[' * '], '*'],
    [[], undefined],
  ])('names in %j the replies %j', (values, expected) =>
    expect(knownRepliesOf(eventWith(...values))).toEqual({ data: expected }),
  );

  test.each(['', 'a', '7', '"a', 'a"', '"a" "b"', '"a b"', 'w/"a"', '*, "a"', '"a", *'])(
    'is refused as %j',
    (value) =>
      expect(knownRepliesOf(eventWith(value))).toEqual({
        problems: [{ loc: ['header', 'if-none-match'], type: 'value_error', msg: expect.any(String) }],
      }),
  );
});

describe('GET /inspections/{inspection_id}', () => {
  test('200 for the earlier reply when an answer was saved since, although the version is the same', async () => {
    const inspection = await answering(person);
    const params = { inspection_id: inspection.id };
    const before = await person.try.inspections.get({ params });
    await saved(person, inspection, { field_id: RAIL, value: 'fail' });
    const headers = { 'If-None-Match': before.headers['etag']! };
    const after = await person.try.inspections.get({ params, headers });
    expect([after.status, after.body.version, after.body.findings_count]).toEqual([
      200,
      before.body.version,
      before.body.findings_count + 1,
    ]);
    expect(after.headers['etag']).not.toBe(before.headers['etag']);
  });
});

describe('GET /client-accounts/{ca_id}', () => {
  test('200 for the earlier reply when a location was added since, and for a version alone', async () => {
    const { id } = await person.clientAccounts.create({ body: { name: 'Acme' } });
    const get = (tag?: string) =>
      person.try.clientAccounts.get({
        params: { ca_id: id },
        ...(tag && { headers: { 'If-None-Match': tag } }),
      });
    const before = await get();
    await newLocation(person, id);
    expect((await get(before.headers['etag'])).status).toBe(200);
    for (const version of ['"1"', '"2"', 'W/"1"'])
      expect(await get(version)).toMatchObject({ status: 200, body: { version: 1, locations_count: 1 } });
  });
});

describe('GET /reports/{report_id}', () => {
  test('200 without an ETag, because its version is the number of the report', async () => {
    const { id } = await newInspection(person);
    const created = await person.try.reports.create({ params: { inspection_id: id } });
    const { status, body, headers } = await person.try.reports.get({
      params: { report_id: created.body.id },
    });
    expect([status, body.version, headers['etag'], created.headers['etag']]).toEqual([
      200,
      1,
      undefined,
      undefined,
    ]);
  });
});

describe('POST /templates/families/{family_id}/archive', () => {
  test('422 for a repeated idempotency key with another If-Match', async () => {
    const { id: family_id } = await draftedFamily(person.key);
    const archive = (version: number) =>
      person.try.families.archive({
        params: { family_id },
        headers: { 'Idempotency-Key': 'archive', 'If-Match': `"${version}"` },
      });
    const statuses = [await archive(1), await archive(2), await archive(1)].map(({ status }) => status);
    expect(statuses).toEqual([200, 422, 200]);
  });
});
