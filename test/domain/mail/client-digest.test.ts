import { nextDigest, weekBefore } from '../../../shared/domain/mail/client-digest.ts';

test.each([
  ['a Sunday', '2026-03-22T12:00:00.000Z', '2026-03-23T06:00:00.000Z'],
  ['a Monday before seven', '2026-03-23T05:59:59.999Z', '2026-03-23T06:00:00.000Z'],
  [
    'a Monday at seven, across the change to summer time',
    '2026-03-23T06:00:00.000Z',
    '2026-03-30T05:00:00.000Z',
  ],
  ['a Sunday that is a Monday there', '2026-03-29T22:30:00.000Z', '2026-03-30T05:00:00.000Z'],
])('from %s on, the digest of Mondays in Berlin follows at seven', (_, now, next) => {
  expect(nextDigest(now, 'monday', 'Europe/Berlin')).toBe(next);
});

test('a week before has the same time of the clocks', () => {
  expect(weekBefore('2026-03-30T05:00:00.000Z', 'Europe/Berlin')).toBe('2026-03-23T06:00:00.000Z');
});
