import { LANGUAGES } from '../../../shared/base/i18n/languages.ts';
import { describe as inWords } from '../../../shared/domain/recurrence/index.ts';
import type { Recurrence } from '../../../shared/schemas/recurrence.ts';

/** 1 March 2027 is a Monday. */
const recurrenceOf = (rrule: string, dtstart_local = '2027-03-01T09:00'): Recurrence => ({
  rrule,
  dtstart_local,
  timezone: 'Europe/Athens',
});

describe('a recurrence in English', () => {
  test.each([
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', 'every 2 weeks on Monday at 09:00, Europe/Athens'],
    ['FREQ=DAILY', 'every day at 09:00, Europe/Athens'],
    ['FREQ=WEEKLY', 'every week on Monday at 09:00, Europe/Athens'],
    ['FREQ=MONTHLY', 'every month on the 1st at 09:00, Europe/Athens'],
    ['FREQ=YEARLY', 'every year on the 1st in March at 09:00, Europe/Athens'],
    [
      'FREQ=MONTHLY;BYDAY=-1FR,2TU',
      'every month on the last Friday and the 2nd Tuesday at 09:00, Europe/Athens',
    ],
    ['FREQ=MONTHLY;BYDAY=-3FR', 'every month on the 3rd to last Friday at 09:00, Europe/Athens'],
    [
      'FREQ=MONTHLY;BYMONTHDAY=-1,15,22,23',
      'every month on the 15th, the 22nd, the 23rd, and the last day at 09:00, Europe/Athens',
    ],
    [
      'FREQ=YEARLY;BYDAY=20MO,-1SU,-3MO',
      'every year on the 20th Monday of the year, the last Sunday of the year, and the 3rd to last Monday of the year at 09:00, Europe/Athens',
    ],
    [
      'FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR',
      'every month on the 13th, only on Friday at 09:00, Europe/Athens',
    ],
    ['FREQ=DAILY;INTERVAL=3;BYDAY=MO', 'every 3 days, only on Monday at 09:00, Europe/Athens'],
    [
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-1',
      'every month on Monday, Tuesday, Wednesday, Thursday, and Friday, of these days only the 1st and the last day, at 09:00, Europe/Athens',
    ],
    [
      'FREQ=YEARLY;BYMONTH=10,3;BYDAY=-1SU;COUNT=3',
      'every year on the last Sunday in March and October at 09:00, Europe/Athens, 3 times',
    ],
    [
      'FREQ=MONTHLY;BYMONTHDAY=15,30,31;SKIP=BACKWARD',
      'every month on the 15th, the 30th, and the 31st (in shorter months the last day) at 09:00, Europe/Athens',
    ],
    [
      'RSCALE=GREGORIAN;FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;SKIP=FORWARD',
      'every year on the 29th (in shorter months the first day of the next month) in February at 09:00, Europe/Athens',
    ],
    [
      'FREQ=MONTHLY;BYMONTHDAY=31,-31,-1;SKIP=FORWARD',
      'every month on the 31st (in shorter months the first day of the next month), the 31st to last day (in shorter months the first day), and the last day at 09:00, Europe/Athens',
    ],
    [
      'FREQ=MONTHLY;BYMONTHDAY=-30;SKIP=BACKWARD',
      'every month on the 30th to last day (in shorter months the last day of the month before) at 09:00, Europe/Athens',
    ],
    // No month of these lacks the day, and a daily rule has no days that SKIP would move.
    [
      'FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=31;SKIP=BACKWARD',
      'every year on the 31st in January at 09:00, Europe/Athens',
    ],
    ['FREQ=MONTHLY;BYMONTHDAY=28;SKIP=FORWARD', 'every month on the 28th at 09:00, Europe/Athens'],
    ['FREQ=DAILY;BYMONTHDAY=31;SKIP=FORWARD', 'every day on the 31st at 09:00, Europe/Athens'],
    ['FREQ=MONTHLY;BYMONTHDAY=31;SKIP=OMIT', 'every month on the 31st at 09:00, Europe/Athens'],
    ['FREQ=DAILY;COUNT=1', 'every day at 09:00, Europe/Athens, 1 time'],
    ['FREQ=DAILY;UNTIL=20281231', 'every day at 09:00, Europe/Athens, until December 31, 2028'],
    // It is the next day in Athens.
    ['FREQ=DAILY;UNTIL=20281231T230000Z', 'every day at 09:00, Europe/Athens, until January 1, 2029'],
  ])('%s is “%s”', (rrule, expected) => {
    expect(inWords(recurrenceOf(rrule))).toBe(expected);
  });
});

test.each([
  ['ar', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE', 'كل أسبوعين، الاثنين والأربعاء، الساعة 09:00، Europe/Athens'],
  ['de', 'FREQ=MONTHLY;BYDAY=-1FR', 'jeden Monat am letzten Freitag um 09:00, Europe/Athens'],
  [
    'de',
    'FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD',
    'jeden Monat am 31. (in kürzeren Monaten am letzten Tag) um 09:00, Europe/Athens',
  ],
  [
    'ja',
    'FREQ=MONTHLY;BYMONTHDAY=31;SKIP=FORWARD',
    '毎月、31日（この日がない月は翌月1日）、09:00、Europe/Athens',
  ],
  ['el', 'FREQ=WEEKLY;INTERVAL=2', 'κάθε 2 εβδομάδες, Δευτέρα, ώρα 09:00, Europe/Athens'],
  ['fr', 'FREQ=MONTHLY;BYDAY=1MO', 'chaque mois, le 1er lundi à 09:00, Europe/Athens'],
  ['ja', 'FREQ=MONTHLY;BYMONTHDAY=-1', '毎月、末日、09:00、Europe/Athens'],
  [
    'pl',
    'FREQ=MONTHLY;INTERVAL=5;COUNT=3',
    'co 5 miesięcy, dzień miesiąca: 1, godz. 09:00, Europe/Athens, 3 razy',
  ],
  ['uk', 'FREQ=DAILY;INTERVAL=21', 'кожний 21 день, о 09:00, Europe/Athens'],
] as const)('%s says %s as “%s”', (language, rrule, expected) => {
  expect(inWords(recurrenceOf(rrule), language)).toBe(expected);
});

test.each(LANGUAGES)('%s leaves no placeholder, space or comma behind', (language) => {
  for (const rrule of [
    'FREQ=DAILY;INTERVAL=2;BYDAY=MO;BYMONTH=3;BYMONTHDAY=-1,2,-3;COUNT=2',
    'FREQ=WEEKLY;INTERVAL=3;BYDAY=TU,SU;UNTIL=20300101',
    'FREQ=MONTHLY;INTERVAL=11;BYDAY=1MO,-1TU,-2WE;BYSETPOS=1,-1,-2',
    'FREQ=YEARLY;INTERVAL=100;BYDAY=1MO,-1TU,-2WE',
    'FREQ=MONTHLY;BYMONTHDAY=-30,15,31;SKIP=BACKWARD',
    'FREQ=MONTHLY;BYMONTHDAY=-30,15,31;SKIP=FORWARD;COUNT=3',
  ]) {
    const text = inWords(recurrenceOf(rrule), language);
    expect(text).not.toMatch(/[{}]|undefined|NaN| {2}|,,|^\W?\s| ,|[,，、،]$/);
    expect(text).toContain('Europe/Athens');
  }
});
