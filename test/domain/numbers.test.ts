import { dayStarts } from '../../infra/web/admin/days.ts';
import {
  bySpan,
  earliest,
  monthIn,
  percentage,
  periodOf,
  rangeOf,
  spansOf,
  unitOf,
} from '../../infra/web/admin/explore/numbers/arithmetic.ts';
import { FINDING_RANKS, INSPECTION_RANKS, ordered } from '../../shared/domain/numbers/order.ts';
import { toFindingNumbers, toInspectionNumbers } from '../../shared/domain/numbers/reading.ts';

describe('the months of the page', () => {
  const period = (search: string) => periodOf(new URLSearchParams(search), '2027-02');

  test('are the last twelve, or those in the address as far as they can be counted together', () => {
    expect(period('')).toEqual({ from: '2026-03', to: '2027-02' });
    expect(period('to=2026-12')).toEqual({ from: '2026-01', to: '2026-12' });
    expect(period('from=2026-11&to=2027-01')).toEqual({ from: '2026-11', to: '2027-01' });
    expect(period('from=2024-02&to=2027-01')).toEqual({ from: '2024-02', to: '2027-01' });
    expect(period('from=2024-01&to=2027-01')).toEqual({ from: '2026-02', to: '2027-01' });
    expect(period('from=2027-02&to=2027-01')).toEqual({ from: '2026-02', to: '2027-01' });
    expect(period('from=2026-13&to=soon')).toEqual({ from: '2026-03', to: '2027-02' });
  });

  test.each([
    ['Pacific/Auckland', '2026-12-31T11:30:00Z', '2027-01'],
    ['America/Los_Angeles', '2027-01-01T07:30:00Z', '2026-12'],
    ['UTC', '2027-01-01T00:00:00Z', '2027-01'],
  ])('end in %s at %s with %s', (zone, now, month) => {
    expect(monthIn(zone, Date.parse(now))).toBe(month);
  });

  test('are quarters from the thirteenth month on, the outer ones only as far as they are asked for', () => {
    expect(unitOf({ from: '2026-03', to: '2027-02' })).toBe('month');
    expect(unitOf({ from: '2026-02', to: '2027-02' })).toBe('quarter');
    expect(spansOf({ from: '2026-02', to: '2027-04' })).toEqual([
      { name: '2026-Q1', from: '2026-02', to: '2026-03' },
      { name: '2026-Q2', from: '2026-04', to: '2026-06' },
      { name: '2026-Q3', from: '2026-07', to: '2026-09' },
      { name: '2026-Q4', from: '2026-10', to: '2026-12' },
      { name: '2027-Q1', from: '2027-01', to: '2027-03' },
      { name: '2027-Q2', from: '2027-04', to: '2027-04' },
    ]);
  });

  test('without inspections have none, and stand between the others', () => {
    const spans = spansOf({ from: '2026-12', to: '2027-02' });
    const groups = [
      { by: { month: '2027-02' }, numbers: 2 },
      { by: { month: '2026-12' }, numbers: 1 },
    ];
    expect(bySpan(spans, groups).map(({ span, numbers }) => [span.name, numbers])).toEqual([
      ['2026-12', 1],
      ['2027-01', undefined],
      ['2027-02', 2],
    ]);
    const quarters = spansOf({ from: '2026-01', to: '2027-01' });
    expect(bySpan(quarters, [{ by: { quarter: '2026-Q4' }, numbers: 7 }])[3]!.numbers).toBe(7);
  });

  test.each([
    ['Europe/Berlin', '2027-02-28T23:00:00.000Z', '2027-03-31T22:00:00.000Z'],
    ['America/New_York', '2027-03-01T05:00:00.000Z', '2027-04-01T04:00:00.000Z'],
    ['UTC', '2027-03-01T00:00:00.000Z', '2027-04-01T00:00:00.000Z'],
  ])('begin and end in lists as they do in %s', (zone, after, before) => {
    expect(rangeOf('completed', { from: '2027-03', to: '2027-03' }, dayStarts(zone))).toEqual({
      completed_after: after,
      completed_before: before,
    });
    expect(rangeOf('created', { from: '2027-01', to: '2027-03' }, dayStarts(zone))['created_before']).toBe(
      before,
    );
  });
});

test('rates are null in nothing', () => {
  expect([percentage(0, 0), percentage(0, 4), percentage(1, 4), percentage(3, 3)]).toEqual([
    null,
    0,
    25,
    100,
  ]);
});

test('numbers of several requests are counted up to the earliest time, and not at all where one is not', () => {
  expect(earliest(['2027-01-02', '2027-01-01', '2027-01-03'])).toBe('2027-01-01');
  expect(earliest(['2027-01-02', null, '2027-01-03'])).toBeNull();
});

describe('the order of groups', () => {
  const group = (name: string, numbers: Record<string, number>) => ({
    name,
    numbers: toInspectionNumbers(numbers),
  });
  const GROUPS = [
    group('half of two', { passed: 1, failed: 1, total: 2 }),
    group('none', { total: 5, overdue: 3 }),
    group('half of ten', { passed: 5, failed: 5, scored: 4, score: 200_000_000, total: 10 }),
    group('all of one', { passed: 1, scored: 1, score: 100_000_000, total: 1 }),
  ];
  const names = (ordering: object) => ordered(GROUPS, INSPECTION_RANKS, ordering).map(({ name }) => name);

  test('is by the number, then by how many it is made from; groups without it come last', () => {
    expect(names({ sort: 'pass_rate' })).toEqual(['half of ten', 'half of two', 'all of one', 'none']);
    expect(names({ sort: '-pass_rate' })).toEqual(['all of one', 'half of ten', 'half of two', 'none']);
    expect(names({ sort: 'mean_score' }).slice(0, 2)).toEqual(['half of ten', 'all of one']);
    expect(names({ sort: '-overdue' })[0]).toBe('none');
  });

  test('leaves out groups that are made from too few, and those after the last place', () => {
    expect(names({ sort: 'pass_rate', min_count: 2 })).toEqual(['half of ten', 'half of two']);
    expect(names({ sort: 'pass_rate', limit: 1 })).toEqual(['half of ten']);
  });

  test('of questions is by how often they failed, as far as that is known', () => {
    const questions = [
      { name: 'unknown', numbers: toFindingNumbers({ findings: 9 }, false) },
      { name: 'often', numbers: toFindingNumbers({ answered: 40, failed: 4 }, true) },
      { name: 'mostly', numbers: toFindingNumbers({ answered: 3, failed: 2 }, true) },
    ];
    const by = (sort: string) => ordered(questions, FINDING_RANKS, { sort }).map(({ name }) => name);
    expect(by('-failed')).toEqual(['often', 'mostly', 'unknown']);
    expect(by('-failure_rate')).toEqual(['mostly', 'often', 'unknown']);
  });
});
