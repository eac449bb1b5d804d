import * as createFamily from '../../functions/templates/create-family.ts';
import * as getTemplate from '../../functions/templates/get-template.ts';
import { call, made } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { contentWith, field } from '../templates/fixtures.ts';

/** Some 4 MB of JSON, in which every other character is a quote: in the reply's own JSON it is twice as much. */
const content = contentWith(
  ...Array.from({ length: 400 }, (_, n) => field(n + 2, { help_text: '"'.repeat(5_000) })),
);

let person: Person;
let params: Record<string, string>;

beforeAll(async () => {
  person = await newPerson('Reader');
  const { draft_version_id } = await made(createFamily, { as: person.key, body: { name: 'Crane', content } });
  params = { template_id: draft_version_id };
});

describe('a reply that is too large for a function', () => {
  const read = (headers: Record<string, string>) => call(getTemplate, { as: person.key, params, headers });

  test('200, compressed, where the client accepts gzip', async () => {
    const { status, headers, body } = await read({ 'Accept-Encoding': 'gzip, br' });
    expect([status, headers['content-encoding'], headers['etag']]).toEqual([200, 'gzip', '"1"']);
    expect(body.content.sections[0].fields).toHaveLength(400);
  });

  test('409 where it does not', async () => {
    const { status, body } = await read({ 'Accept-Encoding': 'br' });
    expect([status, body]).toEqual([
      409,
      { detail: 'the reply is larger than 6 MB, which only fits where gzip is accepted' },
    ]);
  });
});
