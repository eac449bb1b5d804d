import bidiFactory from 'bidi-js';
import fc from 'fast-check';
import { lineStarts } from '../../../shared/reports/pdf/breaks.ts';
import { meanings } from '../../../shared/reports/pdf/meaning.ts';
import { Typefaces } from '../../../shared/reports/pdf/typefaces.ts';
import { Typesetter, type Inline } from '../../../shared/reports/pdf/typesetter.ts';

const bidi = (bidiFactory as unknown as typeof bidiFactory.default)();
const WIDE = { width: 100_000, size: 10 };

let typefaces: Typefaces;
let type: Typesetter;
beforeAll(async () => {
  typefaces = await Typefaces.open();
});
beforeEach(() => {
  type = new Typesetter(typefaces, 'Chinese');
});

const runsOf = (inline: Inline) =>
  typeof inline === 'string' ? [{ text: inline, font: 'Noto Sans' }] : inline;
const fontsOf = (text: string) =>
  runsOf(type.clip(text, WIDE))
    .filter((run) => run.text !== '')
    .map((run) => [run.text, run.font]);
const linesOf = (text: string, width: number) =>
  type
    .pieces(text, { width, size: 10 }, 1)
    .map((line) => runsOf(line).reduce((said, run) => said + run.text, ''));

/** The text as it is seen from left to right; fontkit reverses each run with Arabic or Hebrew letters. */
const visualText = (inline: Inline) =>
  runsOf(inline)
    .map(({ text }) =>
      /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text) ? Array.from(text).toReversed().join('') : text,
    )
    .join('');

describe('Typesetter', () => {
  it.each([
    ['A symbol takes the font of the letters before it', 'Temp 5 °C: 温度 5。', 'Noto Sans Chinese'],
    ['A symbol before the first letter takes the font of that letter', '(温度)', 'Chinese'],
    ['A symbol that the font of the letters lacks comes from another font', 'Held ≤ 5', 'Noto Sans Roboto'],
    ['Han characters beside kana are Japanese', '冷蔵庫の直', 'Japanese'],
    ['Han characters beside Hangul are Korean', '大韓民國 대한', 'Korean'],
    ['Han characters come from one font that has all of them', '们の直', 'Chinese'],
    ['A mark has the font of its letter', 'ก้', 'Thai'],
    ['An invisible joiner has the font of its word', 'می‌خواهم', 'Arabic'],
    ['A danda has the font of the letters before it', 'মাপা হয়।', 'Bengali'],
  ])('%s', (_rule, text, families) => {
    const fonts = fontsOf(text).map(([, font]) => font);
    expect([...new Set(fonts)].join(' ')).toBe(families);
    expect(type.missing.size).toBe(0);
  });

  it('uses the language of the report for Han characters alone', () => {
    expect(fontsOf('直接')).toEqual([['直接', 'Chinese']]);
    type = new Typesetter(typefaces, 'Japanese');
    expect(fontsOf('直接')).toEqual([['直接', 'Japanese']]);
    expect(fontsOf('们')).toEqual([['们', 'Chinese']]);
  });

  it('orders a line as the Unicode Bidirectional Algorithm does', () => {
    const part = fc.constantFrom(
      'שלום',
      'סוף',
      'Bosch',
      'KG-49',
      '9.4',
      '120',
      '(',
      ')',
      ' ',
      '<',
      '%',
      '·',
      ',',
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 14 }), (parts) => {
        const text = parts.join('').trim();
        fc.pre(/\p{Script=Hebrew}/u.test(text));
        const expected = bidi.getReorderedString(text, bidi.getEmbeddingLevels(text));
        expect(visualText(type.clip(text, WIDE))).toBe(expected);
      }),
    );
  });

  it('keeps the order of the digits of each script in right-to-left text', () => {
    const expected = ['2026', 'مث', '٢٠٢٤', 'مث', '۱۴۰۳', 'مقر'];
    expect(visualText(type.clip('رقم ۱۴۰۳ ثم ٢٠٢٤ ثم 2026', WIDE)).split(' ')).toEqual(expected);
  });

  it('aligns right-to-left paragraphs to the right, and only those', () => {
    const alignments = (text: string) =>
      runsOf(type.clip(text, WIDE, 3)).map((run) => ('alignment' in run ? run.alignment : undefined));
    expect(alignments('רמה 1')[0]).toBe('right');
    expect(alignments('No. 1 רמה')).not.toContain('right');
  });

  it('breaks no line of Chinese before a full stop or after an opening bracket', () => {
    const lines = linesOf('冷藏柜的温度是否不高于五度？请立即通知“负责人”，并记录（一楼）。', 62);
    expect(lines.join('')).toBe('冷藏柜的温度是否不高于五度？请立即通知“负责人”，并记录（一楼）。');
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => /^[？”，）。]|[“（]$/.test(line))).toEqual([]);
  });

  it('keeps the order of the words when it breaks a right-to-left line', () => {
    const text = 'המדידה נעשית בגשושית מכוילת בליבת המוצר';
    const lines = type.pieces(text, { width: 90, size: 10 }, 1).map((line) => {
      const words = runsOf(line).filter((run) => run.text.trim());
      return words.map((run) => run.text).toReversed();
    });
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.flat()).toEqual(text.split(' '));
  });

  it.each([
    ['marks on one letter', `ب${'\u064e'.repeat(20_000)}`],
    ['one conjunct', 'क्'.repeat(10_000)],
    ['a very long word', 'سلام'.repeat(5_000)],
  ])('breaks %s into lines that a font can shape fast', (_kind, text) => {
    const lines = linesOf(text, 400);
    expect(lines.join('').length).toBe(text.length);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(1_000);
  });

  it('lets the font position the marks of a word', () => {
    const [run] = runsOf(type.clip('بفِ', WIDE));
    expect(run).toMatchObject({ text: 'بفِ', font: 'Arabic' });
    expect(run).not.toHaveProperty('fontFeatures');
  });

  it('cuts off between grapheme clusters', () => {
    const clipped = (text: string, width: number) =>
      runsOf(type.clip(text, { width, size: 10 })).reduce((said, run) => said + run.text, '');
    expect(clipped('กี่กี่กี่กี่กี่กี่', 30)).toMatch(/^(กี่)+…$/);
    expect(clipped('温度记录完整无缺', 42)).toMatch(/^温度\S*…$/);
  });
});

describe('lineStarts', () => {
  it.each([
    ['温度（2024年）完整。', '温|度|（2024|年）|完|整。'],
    ['キッチン、々と〆切。', 'キッ|チ|ン、々|と|〆|切。'],
    ['식품 안전', '식품 |안전'],
    ['วัดอุณหภูมิ ทุกวัน', 'วัด|อุณหภูมิ |ทุก|วัน'],
    ['a  b', 'a  |b'],
  ])('finds the breaks of %s', (text, broken) => {
    const characters = Array.from(text);
    const starts = lineStarts(characters);
    expect(characters.map((character, index) => (starts[index] ? `|${character}` : character)).join('')).toBe(
      broken,
    );
  });
});

describe('meanings', () => {
  const glyphs = (...lengths: number[]) => lengths.map((length) => ({ codePoints: Array<number>(length) }));
  const read = (text: string, ...lengths: number[]) =>
    meanings(text, glyphs(...lengths)).map((codePoints) => String.fromCodePoint(...codePoints));

  it.each([
    ['gives a ligature its letters', 'office', [1, 3, 1, 1], ['o', 'ffi', 'c', 'e']],
    ['assigns right-to-left text from the last glyph', 'سلام', [1, 2, 1], ['م', 'لا', 'س']],
    ['reads a vowel drawn before its letter after it', 'कि', [1, 1], ['क', 'ि']],
    ['reads a vowel of two glyphs as one', 'கொ', [1, 1, 1], ['க', 'ொ', '\u00ad']],
    ['reads sara am as one', 'น\u0e4d\u0e49\u0e32', [1, 1, 1, 1], ['น', '\u00ad', '\u0e49', '\u0e33']],
    ['gives no character to a dot that is drawn separately', 'خط', [1, 1, 0], ['ط', 'خ', '\u00ad']],
  ])('%s', (_rule, text, lengths, meant) => {
    expect(read(text, ...lengths)).toEqual(meant);
  });
});
