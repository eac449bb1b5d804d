import {
  handler as create,
  operation as createOperation,
} from '../../../functions/client-accounts/create-client-account.ts';
import { handler, operation } from '../../../functions/client-accounts/update-client-account.ts';
import * as errors from '../../../shared/base/errors.ts';
import { as } from '../../support/call.ts';
import { newPerson, type Person } from '../../support/people.ts';

let person: Person;
let id: string;

beforeEach(async () => {
  person = await newPerson('Editor');
  ({ id } = await as(person).must(
    { operation: createOperation, handler: create },
    { body: { name: 'Acme' } },
  ));
});

const patch = (body: object, ifMatch?: string) =>
  as(person).call(
    { operation, handler },
    {
      params: { ca_id: id },
      body,
      ...(ifMatch !== undefined && { headers: { 'If-Match': ifMatch } }),
    },
  );

describe('PATCH /client-accounts/{ca_id}', () => {
  test.each(['"1"', '1', ' "1" ', '*', '"1-mHbXqW0fJ8m2uD1s"'])(
    '200 with If-Match %j for version 1',
    async (ifMatch) => {
      const { status, body, headers } = await patch({ name: 'New' }, ifMatch);
      expect([status, body.version, headers['etag']]).toEqual([200, 2, expect.stringMatching(/^"2-/)]);
    },
  );

  test('409 with both versions in the message, and without a change', async () => {
    await patch({ name: 'New' });
    for (const answer of [
      await patch({ name: 'Late' }, '"1"'),
      await patch({ name: 'Late', expected_version: 1 }),
    ]) {
      expect([answer.status, answer.body]).toEqual([
        409,
        { detail: errors.versionMismatch('client account', 2, 1).detail },
      ]);
    }
    expect((await patch({})).body).toMatchObject({ name: 'New', version: 2 });
  });

  test('409 for one of two concurrent changes of a version, and 200 for both without a version', async () => {
    const guarded = await Promise.all([1, 2].map((n) => patch({ name: `Writer ${n}`, expected_version: 1 })));
    expect(new Set(guarded.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const free = await Promise.all([patch({ name: 'C' }), patch({ notes: 'D' })]);
    expect(free.map(({ status }) => status)).toEqual([200, 200]);
    expect((await patch({})).body).toMatchObject({ name: 'C', notes: 'D', version: 4 });
  });

  test.each([
    ['"x"', {}],
    ['', {}],
    ['"1", "2"', {}],
    ['"-1"', {}],
    ['"1-"', {}],
    ['W/"1"', {}],
    ['"1"', { expected_version: 2 }],
  ])('422 for If-Match %j with %j', async (ifMatch, body) => {
    const answer = await patch({ name: 'New', ...body }, ifMatch);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([expect.objectContaining({ loc: ['header', 'if-match'] })]);
  });

  test.each([0, -1, 1.5, '1', null])('422 for expected_version %j', async (expected_version) => {
    const { status, body } = await patch({ expected_version });
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'expected_version']]);
  });
});
