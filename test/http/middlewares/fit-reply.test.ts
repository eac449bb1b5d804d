import * as errors from '../../../shared/base/errors.ts';
import { contentWith, field } from '../../support/content.ts';
import { newPerson, type Person } from '../../support/people.ts';

/** About 4 MB of JSON. Every other character is a quote, so the reply's own JSON is twice as long. */
const content = contentWith(
  ...Array.from({ length: 400 }, (_, n) => field(n + 2, 'text', { help_text: '"'.repeat(5_000) })),
);

let person: Person;
let params: Record<string, string>;

beforeAll(async () => {
  person = await newPerson('Reader');
  const { draft_version_id } = await person.families.create({ body: { name: 'Crane', content } });
  params = { template_id: draft_version_id };
});

describe('a reply that is too large for a function', () => {
  const read = (headers: Record<string, string>) => person.try.versions.getTemplate({ params, headers });

  test('200, compressed, when the client accepts gzip', async () => {
    const { status, headers, body } = await read({ 'Accept-Encoding': 'gzip, br' });
    expect([status, headers['content-encoding'], headers['etag']]).toEqual([
      200,
      'gzip',
      expect.stringMatching(/^"1-/),
    ]);
    expect(body.content.sections[0].fields).toHaveLength(400);
  });

  test('409 when the client does not accept gzip', async () => {
    const { status, body } = await read({ 'Accept-Encoding': 'br' });
    expect([status, body]).toEqual([409, { detail: errors.replyTooLarge().detail }]);
  });
});
