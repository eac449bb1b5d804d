import fc from 'fast-check';
import {
  handler as create,
  operation as createOperation,
} from '../../functions/client-accounts/create-client-account.ts';
import { handler, operation } from '../../functions/client-accounts/list-client-accounts.ts';
import { sha256 } from '../../shared/base/encoding.ts';
import { listing, type ListQuery, readCursor } from '../../shared/table/listing.ts';
import { as } from '../support/call.ts';
import { newPerson } from '../support/people.ts';
import { runs } from '../support/scale.ts';

const caller = {
  org_id: 'an-organization',
  user_id: 'someone',
  name: 'Someone',
  cursor_secret: 'a secret',
};
const stranger = { ...caller, org_id: 'another-organization' };
const query = { limit: 1, updated_since: '2026-01-01T00:00:00Z' };

const cursorAfter = async (position: string): Promise<string> => {
  const rows = (async function* () {
    yield position;
    yield 'the next one';
  })();
  const page = await listing(caller, 'things', query, rows, String, String);
  return 'page' in page ? page.next! : '';
};

const read = (cursor: string, org = caller, list = 'things', filters: ListQuery = query) =>
  readCursor(org, list, { ...filters, cursor });

const REFUSED = expect.objectContaining({
  status: 422,
  detail: [expect.objectContaining({ loc: ['query', 'cursor'], type: 'value_error' })],
});

describe('a cursor', () => {
  test('continues after its page, with any limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, unit: 'binary' }), async (position) => {
        const cursor = await cursorAfter(position);
        expect(read(cursor)).toBe(position);
        expect(read(cursor, caller, 'things', { ...query, limit: 200 })).toBe(position);
      }),
    );
  });

  test('is valid only for its organization, list and filters', async () => {
    const cursor = await cursorAfter('a');
    expect(() => read(cursor, stranger)).toThrow(REFUSED);
    expect(() => read(cursor, caller, 'others')).toThrow(REFUSED);
    expect(() => read(cursor, caller, 'things', { limit: 1 })).toThrow(REFUSED);
    expect(() => read(cursor, caller, 'things', Object.assign({ status: 'open' }, query))).toThrow(REFUSED);
  });

  test('is refused when it is made by the rules but without the secret of the key', async () => {
    const cursor = await cursorAfter('a');
    expect(() => read(cursor, { ...caller, cursor_secret: 'another' })).toThrow(REFUSED);
    const [, after] = Buffer.from(cursor, 'base64url').toString().split(/ (.*)/s);
    const filters = [['updated_since', query.updated_since]];
    const unkeyed = sha256(JSON.stringify([caller.org_id, 'things', filters, after])).slice(0, 22);
    expect(() => read(Buffer.from(`${unkeyed} ${after}`).toString('base64url'))).toThrow(REFUSED);
  });

  test('means the start of the list when it is empty, as null is in a query', () => {
    expect(read('')).toBeUndefined();
  });

  test('is refused when it is made up', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ minLength: 1 }),
          fc.base64String({ minLength: 4 }),
          fc.string({ minLength: 1, unit: 'binary' }),
        ),
        (cursor) => expect(() => read(cursor)).toThrow(REFUSED),
      ),
      { numRuns: runs(500) },
    );
  });

  test('is refused when its position was changed', async () => {
    const valid = Buffer.from(await cursorAfter('018f0000-0000-7000-8000-000000000000'), 'base64url');
    fc.assert(
      fc.property(fc.nat(valid.length), fc.nat(4), fc.string({ maxLength: 1_500 }), (at, cut, text) => {
        const tampered = Buffer.concat([valid.subarray(0, at), Buffer.from(text), valid.subarray(at + cut)]);
        fc.pre(!tampered.equals(valid));
        expect(() => read(tampered.toString('base64url'))).toThrow(REFUSED);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('GET /client-accounts', () => {
  const list = { operation, handler };
  const nextOf = (link: string | undefined) =>
    Object.fromEntries(new URLSearchParams(/<[^?]*\?([^>]*)>; rel="next"/.exec(link ?? '')?.[1] ?? ''));

  test('200 the pages together have every row once, in the order of the whole list', async () => {
    const { key } = await newPerson('Reader');
    for (let count = 0; count < 7; count += 1) {
      await as(key).must(
        { operation: createOperation, handler: create },
        { body: { name: `${count}`, is_active: count !== 3 } },
      );
    }
    const whole = await as(key).call(list, { query: { is_active: true } });
    const pages: unknown[][] = [];
    let next: Record<string, string> = { is_active: 'true', limit: '2' };
    do {
      const { body, headers } = await as(key).call(list, { query: next });
      pages.push(body);
      next = nextOf(headers['link']);
    } while (next['cursor']);
    expect(pages.flat()).toEqual(whole.body);
    expect(pages.map((page) => page.length)).toEqual([2, 2, 2]);
  });

  test('200 for a cursor of another key of the organization; 422 for one of another organization', async () => {
    const person = await newPerson('Two keys');
    for (const name of ['a', 'b'])
      await as(person).must({ operation: createOperation, handler: create }, { body: { name } });
    const { headers } = await as(person).call(list, { query: { limit: 1 } });
    const query = nextOf(headers['link']);
    expect((await as(person.readOnlyKey).call(list, { query })).status).toBe(200);
    expect((await as(await newPerson('Elsewhere')).call(list, { query })).status).toBe(422);
  });

  test('422 for a cursor of another organization', async () => {
    const [one, other] = [await newPerson('One'), await newPerson('Other')];
    for (const name of ['a', 'b'])
      await as(one).must({ operation: createOperation, handler: create }, { body: { name } });
    const { headers } = await as(one).call(list, { query: { limit: 1 } });
    const { status } = await as(other).call(list, { query: nextOf(headers['link']) });
    expect(status).toBe(422);
  });
});
