import { evaluate } from '../../../shared/domain/content/conditions/evaluate.ts';
import { indexContent } from '../../../shared/domain/content/content-index.ts';
import { answerBlockers } from '../../../shared/domain/content/progress.ts';
import type { Answer } from '../../../shared/domain/content/values/answer.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { field, uuid } from '../../support/content.ts';
import { effort } from '../../support/effort.ts';

describe('the blockers of 20,000 answers', () => {
  const characters = (count: number, first: number) =>
    Array.from({ length: count }, (_, i) => String.fromCodePoint(first + i));
  // Nearly the slowest pattern that can be published, and a text that is slow to match.
  const pattern = characters(20, 0x4e00)
    .map((character) => `[^${character}]*`)
    .join('');
  const value = characters(200, 0x5e00).join('');
  const slow = indexContent(
    Content.parse({
      sections: Array.from({ length: 20 }, (_, i) => ({
        id: uuid(200 + i),
        title: 'Rooms',
        repeat: {},
        fields: [field(i + 1, 'text', { pattern })],
      })),
    }),
  );
  const answers = [...slow.fields.values()].flatMap(({ field: { id }, section }) =>
    Array.from({ length: 1_000 }, (_, i): Answer => ({
      field_id: id,
      instance_path: `${section.id}[${i}]`,
      value,
      note: '',
      is_na: false,
    })),
  );

  test('are found without matching each text against its pattern again', () => {
    const evaluation = evaluate(slow, answers);
    const begin = effort();
    expect(answerBlockers(evaluation, answers)).toEqual([]);
    expect(effort() - begin).toBeLessThan(150);
  });
});
