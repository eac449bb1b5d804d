import { inAuthorsWords } from '../../../shared/domain/content/authors-words.ts';
import { checkAnswer } from '../../../shared/domain/content/values/check-answer.ts';
import { fieldOf, index } from './values/fixtures.ts';

const messages = (type: string, more: object, value: unknown, constraint_message?: string): string[] => {
  const field = fieldOf(type, { ...more, ...(constraint_message !== undefined && { constraint_message }) });
  const problems = checkAnswer(field, index, value);
  return Array.isArray(problems) ? inAuthorsWords(field, problems).map(({ msg }) => msg) : [];
};

describe('inAuthorsWords', () => {
  test.each<[string, object, unknown]>([
    ['number', { min: 1 }, 0],
    ['number', { max: 1 }, 2],
    ['number', { step: 2 }, 3],
    ['text', { pattern: 'a' }, 'b'],
    ['text', { max_length: 1 }, 'bb'],
  ])('says for the author that a %s %j cannot be %j', (type, more, value) => {
    expect(messages(type, more, value, 'No.')).toEqual(['No.']);
    expect(messages(type, more, value)).toEqual([expect.stringMatching(/should/)]);
  });

  test('leaves what is wrong with the type, or within the value, to the service', () => {
    expect(messages('number', {}, 'one', 'No.')).toEqual(['Input should be a valid number']);
    expect(messages('address', {}, { line1: 'x'.repeat(201) }, 'No.')).toEqual([
      'String should have at most 200 characters',
    ]);
  });
});
