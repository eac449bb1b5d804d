import { formatsOf, humanize } from '../../../shared/reports/presentation/format.ts';

const conventions = { locale: 'en-GB', timezone: 'Europe/Warsaw', date_format: null, time_format: null };

describe('formatsOf', () => {
  it('writes a timestamp in the time zone, across midnight and daylight saving time', () => {
    const formats = formatsOf({ ...conventions, time_format: '24h' });
    expect(formats.date('2026-03-14T23:30:00.000Z')).toBe('15 Mar 2026');
    expect(formats.dateTime('2026-03-29T00:30:00.000Z')).toBe('29 Mar 2026, 01:30');
    expect(formats.dateTime('2026-03-29T01:30:00.000Z')).toBe('29 Mar 2026, 03:30');
  });

  it('writes a calendar date without a time zone', () => {
    expect(formatsOf({ ...conventions, timezone: 'America/Denver' }).calendarDate('2026-03-14')).toBe(
      '14 Mar 2026',
    );
  });

  it.each([
    ['DD/MM/YYYY', '05/03/2026'],
    ['M/D/YY', '3/5/26'],
    ['YYYY-MM-DD', '2026-03-05'],
    ['D. MMMM YYYY', '5. March 2026'],
  ])('writes %s', (date_format, written) => {
    expect(formatsOf({ ...conventions, date_format }).date('2026-03-05T12:00:00.000Z')).toBe(written);
  });

  it('inflects the name of the month', () => {
    const polish = formatsOf({ ...conventions, locale: 'pl', date_format: 'D MMMM YYYY' });
    expect(polish.date('2026-03-14T12:00:00.000Z')).toBe('14 marca 2026');
  });

  it('writes times with 12 or 24 hours, and midnight as 00 or 12', () => {
    const midnight = '2026-03-13T23:05:00.000Z';
    expect(formatsOf({ ...conventions, locale: 'en-US', time_format: '24h' }).time(midnight)).toBe('00:05');
    expect(formatsOf({ ...conventions, locale: 'en-US', time_format: '12h' }).time(midnight)).toMatch(
      /^12:05\sAM$/,
    );
  });

  it('uses Latin digits and the Gregorian calendar in every locale', () => {
    const arabic = formatsOf({ ...conventions, locale: 'ar-SA', date_format: 'DD.MM.YYYY' });
    expect(arabic.date('2026-03-14T12:00:00.000Z')).toBe('14.03.2026');
    expect(formatsOf({ ...conventions, locale: 'de' }).percentage(92.585)).toMatch(/^92,59\s%$/);
  });

  it('falls back to English and UTC, and returns other texts unchanged', () => {
    const fallback = formatsOf({ ...conventions, locale: 'no such locale', timezone: 'Mars/Olympus' });
    expect(fallback.date('2026-03-14T23:30:00.000Z')).toBe('Mar 14, 2026');
    expect(fallback.dateTime('soon')).toBe('soon');
  });
});

describe('humanize', () => {
  it('writes an identifier as text', () => {
    expect(humanize('pending_sign_off')).toBe('Pending sign off');
  });
});
