import { asciiJson } from '../../shared/base/encoding.ts';
import { contentDisposition } from '../../shared/base/headers.ts';
import {
  fold,
  foldedAddress,
  withinBytes,
  cutTo,
  isBlank,
  isText,
  plain,
  quoted,
  trimmed,
} from '../../shared/base/text.ts';

describe('isText', () => {
  test.each(['', 'a\tb\r\nc', '\u007f\u0085\u200d\ue000', '😀'])('%j is text', (text) =>
    expect(isText(text)).toBe(true),
  );
  test.each([
    '\u0000',
    'a\u0008',
    '\u000b',
    '\u000c',
    '\u000e',
    '\u001f',
    '\uffff',
    '\ufdd0',
    '\ud83d',
    '\ude00',
  ])('%j is no text', (text) => expect(isText(text)).toBe(false));
});

describe('isBlank', () => {
  test.each(['', ' \t\n', '\u00a0\u200b\u200d', '\u0007', '\u2800', '\ufff9\ufffb', '\u3164'])(
    '%j shows nothing',
    (text) => {
      expect(isBlank(text)).toBe(true);
      expect(trimmed(text)).toBe('');
    },
  );
  test.each(['a', ' a', 'a ', '\u200ba', 'a\u2800', '0'])('%j shows something', (text) =>
    expect(isBlank(text)).toBe(false),
  );
});

test('trimmed: the text without white space around it', () => expect(trimmed(' \n a b\t')).toBe('a b'));

test.each([
  ['abc', 2, 'ab'],
  ['abc', 3, 'abc'],
  ['a😀b', 2, 'a'],
  ['a😀b', 3, 'a😀'],
  ['😀😀', 2, '😀'],
  ['a\ud83db', 3, 'a\ud83db'],
])('cutTo: %j has %i units as %j', (text, length, expected) => expect(cutTo(text, length)).toBe(expected));

test.each([
  ['abc', 2, 'ab'],
  ['äöü', 4, 'äö'],
  ['äöü', 5, 'äö'],
  ['a😀', 4, 'a'],
  ['a😀', 5, 'a😀'],
  ['\ufeffa', 3, '\ufeff'],
])('withinBytes: %j has in %i bytes %j', (text, bytes, expected) =>
  expect(withinBytes(text, bytes)).toBe(expected),
);

test('fold: forms of the same letters, in any case, are equal', () =>
  expect(['ﬁre Exit', 'FIRE EXIT', 'ｆｉｒｅ exit'].map(fold)).toEqual(Array(3).fill('fire exit')));

test('foldedAddress: no other sign than an ASCII letter becomes one', () =>
  expect(foldedAddress('\u212Aate.K\u00c9@EXAMPLE.com')).toBe('\u212Aate.k\u00c9@example.com'));

test.each<[unknown, string]>([
  [{ a: 'é😀' }, String.raw`{"a":"\u00e9\ud83d\ude00"}`],
  ['\u007f\u0080\uffff', String.raw`"\u007f\u0080\uffff"`],
  ['a ~', '"a ~"'],
])('asciiJson: %j', (value, expected) => {
  expect(asciiJson(value)).toBe(expected);
  expect(JSON.parse(asciiJson(value))).toEqual(value);
});

test.each<['attachment' | 'inline', string, string]>([
  ['attachment', 'Report 1.pdf', `attachment; filename="Report 1.pdf"; filename*=UTF-8''Report%201.pdf`],
  [
    'inline',
    'Küche "A" 50%.pdf',
    `inline; filename="K_che _A_ 50_.pdf"; filename*=UTF-8''K%C3%BCche%20%22A%22%2050%25.pdf`,
  ],
  ['inline', "a\\b\r\n'(*)", `inline; filename="a_b__'(*)"; filename*=UTF-8''a%5Cb%0D%0A%27%28%2A%29`],
  ['inline', '~\u007f\ud83d', `inline; filename="~__"; filename*=UTF-8''~%7F%EF%BF%BD`],
])('contentDisposition: %s of %j', (disposition, name, expected) =>
  expect(contentDisposition(disposition, name)).toBe(expected),
);

test.each([
  ['a\u202eb\u2066c\u200fd', 20, 'a b c d'],
  ['a\n\tb\u0000\u2028c', 20, 'a b c'],
  ['می\u200cخواهم 👩\u200d🚒', 20, 'می\u200cخواهم 👩\u200d🚒'],
  [' \u200b<b>x</b> ', 20, '<b>x</b>'],
  ['ab\ud83d', 20, 'ab\ufffd'],
  ['long', 3, 'lon'],
])('plain: %j in %i characters is %j', (text, length, expected) =>
  expect(plain(text, length)).toBe(expected),
);

test('quoted: in quotation marks, and short', () => {
  expect(quoted('a "b"\n\u202ec')).toBe('"a \\"b\\" c"');
  expect(quoted('x'.repeat(500))).toHaveLength(102);
});
