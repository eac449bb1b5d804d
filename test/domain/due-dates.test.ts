import fc from 'fast-check';
import {
  type ActionRule,
  actionPriority,
  dueDate,
  type PlaceCalendar,
} from '../../shared/domain/due-dates.ts';
import { addDays, localDate } from '../../shared/domain/recurrence/clock.ts';
import { Weekday } from '../../shared/schemas/organization.ts';
import { FindingRule } from '../../shared/schemas/templates/content.ts';

const ruleOf = (settings: object): ActionRule =>
  FindingRule.parse({ corrective_action: { title: 'Mend it', ...settings } }).corrective_action!;

const ATHENS: PlaceCalendar = { timezone: 'Europe/Athens', weekend_days: ['saturday', 'sunday'] };

/** When an action is due that is found by a visit. It is created a week after the visit. */
const due = (
  settings: object,
  visited_at: string,
  calendar = ATHENS,
  severity: 'minor' | 'critical' = 'minor',
) => {
  const created_at = new Date(Date.parse(visited_at) + 7 * 86_400_000).toISOString();
  return dueDate(ruleOf(settings), severity, { visited_at, created_at }, calendar);
};
const dueAt = (...args: Parameters<typeof due>) => due(...args).due_at;

const days = (count: number) => ({ due_by_severity: { minor: `P${count}D` } });

describe('dueDate', () => {
  test('ends days with the local day, also when the clocks change', () => {
    // The clocks go forward on 28 March 2027, and back on 31 October 2027.
    expect(dueAt(days(1), '2027-03-26T10:00:00.000Z')).toBe('2027-03-27T21:59:59.000Z');
    expect(dueAt(days(2), '2027-03-26T10:00:00.000Z')).toBe('2027-03-28T20:59:59.000Z');
    expect(dueAt(days(1), '2027-10-30T10:00:00.000Z')).toBe('2027-10-31T21:59:59.000Z');
  });

  test('counts from the local day of the visit', () => {
    expect(dueAt(days(0), '2027-03-01T21:59:59.000Z')).toBe('2027-03-01T21:59:59.000Z');
    expect(dueAt(days(0), '2027-03-01T22:00:00.000Z')).toBe('2027-03-02T21:59:59.000Z');
  });

  test('counts hours exactly, from the visit', () => {
    const due_by_severity = { critical: 'PT24H' };
    const rule = { due_by_severity, business_days: true };
    expect(due(rule, '2027-03-27T10:00:00.000Z', ATHENS, 'critical')).toEqual({
      due_at: '2027-03-28T10:00:00.000Z',
      due_basis: {
        from: '2027-03-27T10:00:00.000Z',
        duration: 'PT24H',
        severity: 'critical',
        timezone: null,
        skipped_days: [],
      },
    });
  });

  test('leaves out weekend days where the rule says so, and ends on none', () => {
    const business = (count: number) => ({ ...days(count), business_days: true });
    // A Friday, and the Saturday after it.
    expect(dueAt(business(0), '2027-03-05T10:00:00.000Z')).toBe('2027-03-05T21:59:59.000Z');
    expect(dueAt(business(1), '2027-03-05T10:00:00.000Z')).toBe('2027-03-08T21:59:59.000Z');
    expect(dueAt(business(0), '2027-03-06T10:00:00.000Z')).toBe('2027-03-08T21:59:59.000Z');
    expect(dueAt(business(5), '2027-03-06T10:00:00.000Z')).toBe('2027-03-12T21:59:59.000Z');
    expect(due(business(1), '2027-03-05T10:00:00.000Z').due_basis!.skipped_days).toEqual([
      'saturday',
      'sunday',
    ]);
    const always = { ...ATHENS, weekend_days: Weekday.options };
    expect(dueAt(business(1), '2027-03-05T10:00:00.000Z', always)).toBe('2027-03-06T21:59:59.000Z');
  });

  test('counts `due_in_days` alone as days of 24 hours from the creation, as before', () => {
    expect(due({ due_in_days: 2 }, '2027-03-20T12:30:00.000Z')).toMatchObject({
      due_at: '2027-03-29T12:30:00.000Z',
      due_basis: { from: '2027-03-27T12:30:00.000Z', duration: 'PT48H', timezone: null },
    });
  });

  test('counts `due_in_days` by the calendar for the severities that have no time of their own', () => {
    const rule = { due_in_days: 3, due_by_severity: { critical: 'PT4H' } };
    expect(due(rule, '2027-03-01T10:00:00.000Z')).toMatchObject({
      due_at: '2027-03-04T21:59:59.000Z',
      due_basis: { duration: 'P3D', timezone: 'Europe/Athens' },
    });
    expect(due({ due_by_severity: { critical: 'PT4H' } }, '2027-03-01T10:00:00.000Z')).toEqual({
      due_at: null,
      due_basis: null,
    });
  });

  test('gives the priority of the severity, or else that of the rule', () => {
    const rule = ruleOf({ priority: 'low', priority_by_severity: { critical: 'high' } });
    expect([actionPriority(rule, 'critical'), actionPriority(rule, 'minor')]).toEqual(['high', 'low']);
  });

  test('ends in any zone with the last second of the counted day, which is no weekend day', () => {
    const anyZone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const anyVisit = fc
      .date({ min: new Date('2015-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
    const anyWeekend = fc.uniqueArray(fc.constantFrom(...Weekday.options), { maxLength: 6 });
    const weekday = (date: string) => Weekday.options[(new Date(date).getUTCDay() + 6) % 7]!;
    fc.assert(
      fc.property(
        anyZone,
        anyVisit,
        anyWeekend,
        fc.integer({ min: 0, max: 40 }),
        (timezone, visit, weekend_days, count) => {
          const due_at = dueAt({ ...days(count), business_days: true }, visit, { timezone, weekend_days })!;
          const [first, last] = [visit, due_at].map((at) => localDate(at, timezone));
          const next = new Date(Date.parse(due_at) + 1_000).toISOString();
          expect(localDate(next, timezone)).not.toBe(last);
          expect(weekend_days).not.toContain(weekday(last!));
          let counted = 0;
          for (let date = addDays(first!, 1); date <= last!; date = addDays(date, 1))
            counted += Number(!weekend_days.includes(weekday(date)));
          const isMoved = count === 0 && weekend_days.includes(weekday(first!));
          expect(counted).toBe(isMoved ? 1 : count);
        },
      ),
    );
  });
});
