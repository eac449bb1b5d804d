import { indexContent } from '../../../shared/domain/content/content-index.ts';
import { shownDocuments } from '../../../shared/domain/content/shown-documents.ts';
import { answerStart } from '../../../shared/domain/content/start.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { uuid } from '../../support/content.ts';

const index = indexContent(
  Content.parse({
    start: {
      fields: [
        { key: 'text', type: 'long_text', label: 'Text', required: true },
        { key: 'more', type: 'long_text', label: 'More', max_length: 20_000 },
        { key: 'other', type: 'long_text', label: 'Other', max_length: 20_000 },
        { key: 'site', type: 'photo', label: 'Site' },
        { key: 'sketch', type: 'drawing', label: 'Sketch' },
      ],
    },
  }),
);

const media = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ document_id: uuid(from + i) }));

describe('answerStart', () => {
  test('replaces saved answers, and null clears one', () => {
    expect(answerStart(index, { text: 'a', more: 'b' }, { text: null, other: 'c' })).toEqual({
      more: 'b',
      other: 'c',
    });
  });

  test('names every wrong answer by its key', () => {
    expect(answerStart(index, {}, { none: 1, text: 2, site: [{ document_id: 'x' }], more: 'fine' })).toEqual([
      {
        loc: ['body', 'start_answers', 'none'],
        type: 'extra_forbidden',
        msg: 'The template has no start field with this key',
      },
      expect.objectContaining({ loc: ['body', 'start_answers', 'text'], type: 'string_type' }),
      expect.objectContaining({ loc: ['body', 'start_answers', 'site', '0', 'document_id'] }),
    ]);
  });

  test('limits the length of all start answers together', () => {
    const long = 'x'.repeat(20_000);
    const problems = answerStart(index, { text: long, more: long }, { other: long });
    expect(problems).toEqual([
      expect.objectContaining({
        loc: ['body', 'start_answers'],
        type: 'too_long',
        msg: expect.stringMatching(
          /^All start answers together should have at most \d+ characters of JSON, not \d+$/,
        ),
      }),
    ]);
  });

  test('limits the documents of all start answers together, each counted once', () => {
    const standing = answerStart(index, {}, { site: media(1, 12) }) as Record<string, unknown>;
    expect(answerStart(index, standing, { sketch: media(1, 5) })).toHaveProperty('sketch');
    expect(answerStart(index, standing, { sketch: media(20, 1) })).toEqual([
      expect.objectContaining({
        type: 'too_long',
        msg: 'All start answers together should show at most 12 documents, not 13',
        ctx: { max_length: 12, actual_length: 13 },
      }),
    ]);
  });
});

describe('shownDocuments', () => {
  test('finds documents at any depth, each once', () => {
    const row = {
      value: [{ document_id: 'a' }, { document_id: 'b' }],
      content: { media: [{ document_id: 'a' }] },
    };
    expect([...shownDocuments(row)]).toEqual(['a', 'b']);
    expect([...shownDocuments({ value: { document_id: null, typed: 'Ann' } })]).toEqual([]);
  });
});
