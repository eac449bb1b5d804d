import { validated } from '../../../shared/http/request/validation.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { field, section, uuid } from '../../support/content.ts';
import { effort } from '../../support/effort.ts';
import { newPerson } from '../../support/people.ts';
import { draftedFamily } from '../../templates/fixtures.ts';

const listOf = (count: number, element: string): string => `[${Array(count).fill(element).join(',')}]`;

/** Lists of a thousand parts, as many as a list may have, in as many parts as needed. */
const spread = (part: string, list: string): string =>
  listOf(99, `{"id":"${uuid(1)}","name":"a",${part.replace('*', listOf(1_000, list))}}`);

const inField = (rest: string): string =>
  `{"sections":[{"id":"${uuid(1)}","title":"a","fields":${listOf(990, `{"id":"${uuid(2)}","type":"text","label":"a",${rest}}`)}}]}`;

describe('a content with very many parts', () => {
  test.each([
    ['sections', `{"sections":${listOf(99_000, '{}')}}`],
    ['sections that are texts', `{"sections":${listOf(99_000, '""')}}`],
    ['fields', `{"sections":[{"id":"${uuid(1)}","title":"a","fields":${listOf(99_000, '{}')}}]}`],
    ['options', `{"response_sets":${spread('"options":*', '{}')}}`],
    ['options of a wrong type', `{"response_sets":${spread('"options":*', '{"value":1,"label":2}')}}`],
    ['texts', `{"translations":[{"language":"fr","texts":${listOf(99_000, '{}')}}]}`],
    ['conditions', inField(`"visible_if":{"all":${listOf(100, '{}')}}`)],
  ])('is refused in little time and memory, %s', (_, json) => {
    const body: unknown = JSON.parse(json);
    const [begin, before] = [effort(), process.memoryUsage().heapUsed];
    const msg =
      'Value error, more than 1000 sections, fields, options, texts and conditions have not all that they need';
    expect(validated('body', Content, body)).toEqual({
      problems: [{ loc: ['body'], type: 'value_error', msg }],
    });
    expect(effort() - begin).toBeLessThan(50);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60_000_000);
  });

  const sections = (count: number) => Array.from({ length: count }, (_, i) => section(i));
  const fields = (count: number) => Array.from({ length: count }, (_, i) => field(i + 10));

  test('may have 300 sections, nested ones included, and 5,000 fields', () => {
    const nested = { ...section(1_000), sections: sections(299) };
    const problemsOf = (content: object) => {
      const found = validated('body', Content, content);
      return 'problems' in found ? found.problems : [];
    };
    expect(problemsOf({ sections: [nested] })).toEqual([]);
    expect(problemsOf({ sections: [nested, section(2_000)] })).toEqual([
      {
        loc: ['body', 'sections'],
        type: 'too_long',
        msg: 'There should be at most 300 sections, not 301',
        ctx: { max_length: 300, actual_length: 301 },
      },
    ]);
    const [half, rest] = [fields(2_500), fields(5_001).slice(2_500)];
    expect(problemsOf({ sections: [section(1, half), section(2, rest.slice(1))] })).toEqual([]);
    expect(problemsOf({ sections: [section(1, half), section(2, rest)] })).toEqual([
      {
        loc: ['body', 'sections'],
        type: 'too_long',
        msg: 'There should be at most 5000 fields, not 5001',
        ctx: { max_length: 5_000, actual_length: 5_001 },
      },
    ]);
  });

  test('is 422 at every endpoint that takes a content', async () => {
    const admin = await newPerson('Writer');
    const content = JSON.parse(`{"sections":${listOf(99_000, '{}')}}`) as object;
    const { draft_version_id: template_id } = await draftedFamily(admin.key);
    const begin = effort();
    const answers = [
      await admin.try.families.create({ body: { name: 'Large', content } }),
      await admin.try.versions.updateTemplateContent({
        params: { template_id: template_id! },
        body: { content },
      }),
      await admin.try.versions.importXlsform({ body: { content } }),
    ];
    expect(effort() - begin).toBeLessThan(300);
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      answers.map(() => [422, { detail: [expect.objectContaining({ loc: ['body', 'content'] })] }]),
    );
  });
});
