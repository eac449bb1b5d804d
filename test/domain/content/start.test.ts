import { indexContent } from '../../../shared/domain/content/content-index.ts';
import { shownDocuments } from '../../../shared/domain/content/shown-documents.ts';
import { answerStart } from '../../../shared/domain/content/start.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';

const id = (n: number) => `0190f3c2-0000-7000-8000-${String(n).padStart(12, '0')}`;
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
  Array.from({ length: count }, (_, i) => ({ document_id: id(from + i) }));

describe('answerStart', () => {
  test('writes over what stands, and null clears', () => {
    expect(answerStart(index, { text: 'a', more: 'b' }, { text: null, other: 'c' })).toEqual({
      more: 'b',
      other: 'c',
    });
  });

  test('limits what all of them take in the row', () => {
    const long = 'x'.repeat(20_000);
    const problems = answerStart(index, { text: long, more: long }, { other: long });
    expect(problems).toEqual([expect.objectContaining({ loc: ['body', 'start_answers'], type: 'too_long' })]);
  });

  test('limits the documents that all of them show, each counted once', () => {
    const standing = answerStart(index, {}, { site: media(1, 12) }) as Record<string, unknown>;
    expect(answerStart(index, standing, { sketch: media(1, 5) })).toHaveProperty('sketch');
    expect(answerStart(index, standing, { sketch: media(20, 1) })).toEqual([
      expect.objectContaining({ type: 'too_long', ctx: { max_length: 12, actual_length: 13 } }),
    ]);
  });
});

describe('shownDocuments', () => {
  test('finds them wherever they stand, each once', () => {
    const row = {
      value: [{ document_id: 'a' }, { document_id: 'b' }],
      content: { media: [{ document_id: 'a' }] },
    };
    expect([...shownDocuments(row)]).toEqual(['a', 'b']);
    expect([...shownDocuments({ value: { document_id: null, typed: 'Ann' } })]).toEqual([]);
  });
});
