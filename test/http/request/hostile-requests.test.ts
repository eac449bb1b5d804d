import {
  handler as create,
  operation as createOperation,
} from '../../../functions/client-accounts/create-client-account.ts';
import {
  handler as listHandler,
  operation as list,
} from '../../../functions/client-accounts/list-client-accounts.ts';
import { as } from '../../support/call.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { HOSTILE } from './reading.ts';

describe('POST /client-accounts', () => {
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Hostile');
  });

  const post = (raw: Buffer) => as(person).call({ operation: createOperation, handler: create }, { raw });

  test.each(HOSTILE.map((text) => [text.slice(0, 30), text]))(
    '201 or 4xx for %s, never 5xx',
    async (_, text) => {
      for (const json of [text, `{"name": ${text}}`, `{"name": "a", "contact": ${text}}`]) {
        const { status } = await post(Buffer.from(json));
        expect([201, 400, 422]).toContain(status);
      }
    },
  );

  test.each([
    '__proto__=1',
    'constructor=1',
    'limit=1&limit=2',
    'limit=1e1',
    'limit=%00',
    'is_active=%FF',
    'updated_since=9',
  ])('422 for the query %s', async (text) => {
    const query = Object.fromEntries(
      [...new URLSearchParams(text).keys()].map((name) => [name, new URLSearchParams(text).getAll(name)]),
    );
    const { status } = await as(person).call({ operation: list, handler: listHandler }, { query });
    expect(status).toBe(422);
  });
});
