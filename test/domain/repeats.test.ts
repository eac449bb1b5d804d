import { foundBefore, type KnownFinding, windowStart } from '../../shared/domain/inspections/repeats.ts';
import { uuid } from '../support/content.ts';

const [GATE, RAIL, YARD, FLAT] = [uuid(1), uuid(2), uuid(3), uuid(4)];

/** The n-th finding, of the n-th inspection. */
const known = (n: number, found_at: string, more: Partial<KnownFinding> = {}): KnownFinding => ({
  finding_id: uuid(100 + n),
  inspection_id: uuid(200 + n),
  field_id: GATE,
  unit_id: null,
  found_at,
  ...more,
});
const finding = (n: number, created_at: string, location_id: string | null = null) => ({
  id: uuid(100 + n),
  inspection_id: uuid(200 + n),
  field_id: GATE,
  location_id,
  created_at,
  found_in: { location_id: YARD },
  listed_under: {},
});
const NOW = '2027-03-31T12:00:00.000Z';

describe('foundBefore', () => {
  test('takes findings from the beginning of the window on', () => {
    const [early, first] = ['2027-02-28T11:59:59.999Z', '2027-02-28T12:00:00.000Z'];
    expect(windowStart(NOW, 'P1M')).toBe(first);
    expect(foundBefore(finding(2, NOW), [known(1, early)], 'P1M')).toBeNull();
    expect(foundBefore(finding(2, NOW), [known(1, first)], 'P1M')).toEqual({
      count: 1,
      previous_finding_id: uuid(101),
      first_at: first,
    });
  });

  test('counts inspections, and names the last finding', () => {
    const rows = [
      known(1, '2027-01-01T00:00:00.000Z'),
      known(2, '2027-02-01T00:00:00.000Z', { inspection_id: uuid(201) }),
      known(3, '2027-03-01T00:00:00.000Z'),
    ];
    expect(foundBefore(finding(4, NOW), rows, 'P12M')).toEqual({
      count: 2,
      previous_finding_id: uuid(103),
      first_at: '2027-01-01T00:00:00.000Z',
    });
  });

  test.each<[string, Partial<KnownFinding>]>([
    ['another question', { field_id: RAIL }],
    ['another unit', { unit_id: FLAT }],
    ['the same inspection', { inspection_id: uuid(202) }],
    ['a later finding', { finding_id: uuid(103) }],
  ])('leaves out %s', (_, more) =>
    expect(foundBefore(finding(2, NOW), [known(1, NOW, more)], 'P12M')).toBeNull(),
  );

  test('compares the location of the unit, unless that is the location itself', () => {
    expect(foundBefore(finding(2, NOW, FLAT), [known(1, NOW, { unit_id: FLAT })], 'P1D')).not.toBeNull();
    expect(foundBefore(finding(2, NOW, YARD), [known(1, NOW)], 'P1D')).not.toBeNull();
  });
});
