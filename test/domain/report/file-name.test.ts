import fc from 'fast-check';
import {
  inspectionFileName,
  inspectionsFileName,
  inspectionTitle,
  safeName,
} from '../../../shared/domain/report/file-name.ts';

describe('the name of an inspection’s file', () => {
  test.each([
    ['Kitchen inspection', '128 Kitchen inspection.pdf'],
    ['Küche / Keller: "Nord"', '128 Küche Keller Nord.pdf'],
    ['مطبخ الميناء', '128 مطبخ الميناء.pdf'],
    ['../../etc/passwd', '128 .. .. etc passwd.pdf'],
    ['line\none\ttwo', '128 line one two.pdf'],
    ['invoice\u202efdp.exe', '128 invoice fdp.exe.pdf'],
    ['ends with points...', '128 ends with points.pdf'],
  ])('of %j is %j', (name, expected) => {
    expect(inspectionFileName({ number: 128, name }, 'pdf')).toBe(expected);
  });

  test('is cut to what file systems take, between two characters', () => {
    const name = inspectionFileName({ number: 7, name: '検査👩‍🚒'.repeat(100) }, 'xlsx');
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(185);
    expect(name.isWellFormed()).toBe(true);
  });

  test.each(['CON', 'nul', 'com1', 'LPT9 plan', 'Aux.txt'])('is no device of Windows: %s', (name) => {
    expect(safeName(name, 'x')).toBe(`_${name}`);
  });

  test.each([
    ['icon', 'icon'],
    ['console 1', 'console 1'],
    [' .. .hidden', 'hidden'],
    ['a<>|b', 'a b'],
    ['a'.repeat(181), 'a'.repeat(180)],
    ['ä'.repeat(91), 'ä'.repeat(90)],
  ])('of the text %j is %j', (text, name) => {
    expect(safeName(text, 'x')).toBe(name);
  });

  test('is its number where it has no name', () => {
    expect(inspectionTitle({ number: 128, name: '' })).toBe('128');
    expect(inspectionFileName({ number: 128, name: '...' }, 'pdf')).toBe('128.pdf');
  });

  test.each(['', '   ', '...', '///', '\u200b'])('falls back where %j leaves nothing', (name) => {
    expect(safeName(name, 'Other')).toBe('Other');
  });

  test('is safe whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const name = safeName(text, 'x');
        expect(name).toMatch(/^[^<>:"/\\|?*\p{Cc}]+$/u);
        expect(name).not.toMatch(/^[. ]|[. ]$/);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(181);
      }),
    );
  });
});

test.each([
  ['2027-03-14T23:30:00.000Z', 'UTC', 'inspections 2027-03-14'],
  ['2027-03-14T23:30:00.000Z', 'Europe/Warsaw', 'inspections 2027-03-15'],
])('the file of many inspections at %s in %s is %j', (at, timeZone, name) => {
  expect(inspectionsFileName(at, timeZone)).toBe(name);
});
