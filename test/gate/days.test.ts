import { DAYS, dayNumbered, secondsUntil } from './days.ts';

test('each seed has a day, and the next one has another', () => {
  const found = DAYS.map((_, seed) => dayNumbered(undefined, DAYS.length + seed));
  expect(found).toEqual(DAYS.map((day, number) => ({ ...day, number })));
  expect(new Set(DAYS.map(({ local, zone }) => `${local} ${zone}`)).size).toBe(8);
});

test('a number is the day with it, whatever the seed', () => {
  expect(dayNumbered('1', 6)).toEqual({ local: '2027-01-31T23:40', zone: 'Pacific/Auckland', number: 1 });
});

test.each(['8', '-1', '0.5', 'x', ''])('“%s” is no day, and all days are listed', (given) => {
  expect(() => dayNumbered(given, 0)).toThrow(/^There is no day .*\. The days are 0: .+ in UTC, 1: /);
});

test.each([
  ['UTC', '2027-01-31T23:40:00.000Z'],
  ['Pacific/Auckland', '2027-01-31T10:40:00.000Z'],
])('a clock in %s goes forward to the time that it shows there', (zone, at) => {
  const now = Date.parse('2026-11-28T12:00:00.400Z');
  const seconds = secondsUntil({ local: '2027-01-31T23:40', zone }, now);
  expect(Math.abs(now + seconds * 1_000 - Date.parse(at))).toBeLessThanOrEqual(500);
});
