import { indexContent } from '../../../shared/domain/content/content-index.ts';
import { documentsOf, mediaProblems, readAnswer } from '../../../shared/domain/content/entry.ts';
import type { NewAnswer } from '../../../shared/schemas/inspections/answer.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { contentWith, field, section, uuid } from '../../support/content.ts';
import { document } from './fixtures.ts';

const content = contentWith(
  field(2, 'yes_no_na', { allow_na: true }),
  field(3, 'photo'),
  field(4, 'number', { max: 5, constraint_message: 'At most five.' }),
  field(5, 'signature'),
  field(6, 'text', { media: { kinds: ['photo', 'audio'] } }),
);
content.sections.push(section(20, [field(21)], { repeat: { max: 3 } }));
const index = indexContent(Content.parse(content));
const place = (n: number) => index.fields.get(uuid(n))!;

const read = (n: number, answer: Partial<NewAnswer>) =>
  readAnswer(index, place(n), {
    field_id: uuid(n),
    value: null,
    note: '',
    is_na: false,
    media: [],
    ...answer,
  } as NewAnswer);

describe('readAnswer', () => {
  test('gives the instance, and the entry as it is stored', () =>
    expect(read(21, { value: 'Red', note: 'Left', media: [document(9)], instance_index: 2 })).toEqual({
      instance: { instance_index: 2, instance_path: `${uuid(20)}[2]` },
      entry: { value: 'Red', note: 'Left', is_na: false, media: [document(9)], is_failed: false },
      problems: [],
    }));

  test.each<[Partial<NewAnswer>, object]>([
    [{ value: 'no' }, { is_na: false, is_failed: true }],
    [{ value: 'yes' }, { is_na: false, is_failed: false }],
    [{ value: 'na' }, { is_na: true, is_failed: false }],
    [{ is_na: true }, { is_na: true, is_failed: false }],
  ])('says whether the answer %j failed', (answer, expected) =>
    expect(read(2, answer).entry).toMatchObject(expected),
  );

  test('lists every problem of the place, the value and the media', () => {
    const media = [{ document_id: 'x', caption: '' }];
    const { problems, ...rest } = read(4, { value: 'four', media, instance_index: 1 });
    expect(rest).toEqual({});
    expect(problems.map(({ loc }) => loc.slice(1).join('.'))).toEqual([
      'instance_index',
      'value',
      'media.0.document_id',
    ]);
  });

  test('keeps the instance of an answer that is refused for another reason', () => {
    const media = [{ document_id: 'x', caption: '' }];
    const instance = { instance_index: 0, instance_path: '' };
    expect(read(4, { value: 6 })).toEqual({
      instance,
      problems: [expect.objectContaining({ msg: 'At most five.' })],
    });
    expect(read(4, { value: 4, media })).toEqual({ instance, problems: [expect.anything()] });
  });

  test('refuses media beside an answer that is media itself', () => {
    expect(read(3, { value: [document(9)], media: [document(8)] })).toMatchObject({
      problems: [
        {
          loc: ['body', 'media'],
          type: 'value_error',
          msg: 'Value error, this field takes its media in value',
        },
      ],
    });
    expect(read(3, { value: [document(9)] }).problems).toEqual([]);
  });
});

describe('documentsOf', () => {
  test('are those of the value and those beside it, each once', () => {
    const signature = { document_id: uuid(7), typed: null, signed_name: 'Jo', signed_at: null };
    const media = [document(8), document(7)];
    expect([...documentsOf(place(5), { value: signature, media })]).toEqual([uuid(7), uuid(8)]);
    expect([...documentsOf(place(6), { value: uuid(7), media: [] })]).toEqual([]);
  });
});

describe('mediaProblems', () => {
  const types: Record<string, string> = { [uuid(7)]: 'image/png', [uuid(8)]: 'video/mp4' };
  const problems = (n: number, value: unknown, media: ReturnType<typeof document>[] = []) =>
    mediaProblems(place(n), { value, media }, (id) => types[id]!);
  const refused = (name: string) => [
    {
      loc: ['body', name, '1', 'document_id'],
      type: 'value_error',
      msg: 'Value error, the field does not take video/mp4 files',
      input: uuid(8),
    },
  ];

  test('are in the value of a field of media, and beside that of any other', () => {
    expect(problems(3, [document(7), document(8)])).toEqual(refused('value'));
    expect(problems(6, 'Red', [document(7), document(8)])).toEqual(refused('media'));
  });

  test('are none without media', () => expect(problems(3, null)).toEqual([]));
});
