import { isAnswered } from '../../../../shared/domain/content/values/answer.ts';

describe('isAnswered', () => {
  test.each<[unknown, boolean, boolean]>([
    [null, false, false],
    [null, true, true],
    ['  ', false, false],
    [[], false, false],
    [false, false, true],
    [0, false, true],
    [{ lat: 0 }, false, true],
  ])('%j, not applicable %p: %p', (value, is_na, expected) =>
    expect(isAnswered({ value, is_na })).toBe(expected),
  );
});
