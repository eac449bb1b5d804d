import { escalationAt, mayBeMailed } from '../../shared/domain/escalation.ts';

const DUE = '2027-03-27T12:00:00.000Z';
const [ON_TIME, LATER, LAST] = [
  { after: 'P0D', to: 'assignee' },
  { after: 'P3D', to: 'admins' },
  { after: 'P7D', to: 'admins' },
] as const;
const LEVELS = [LATER, LAST, ON_TIME];

const told = (now: string, until?: string) => {
  const { reached, next } = escalationAt(LEVELS, DUE, until, now);
  return { reached: reached.map(({ after }) => after), next };
};

describe('escalationAt', () => {
  test('reaches each level at its time, in days of 24 hours from the due time, and not before', () => {
    expect(told('2027-03-27T11:59:59.999Z')).toEqual({ reached: [], next: DUE });
    expect(told(DUE)).toEqual({ reached: ['P0D'], next: '2027-03-30T12:00:00.000Z' });
    expect(told('2027-03-30T11:59:59.999Z', DUE).reached).toEqual([]);
    expect(told('2027-03-30T12:00:00.000Z', DUE).reached).toEqual(['P3D']);
  });

  test('reaches all levels that were missed, in their order, and none again', () => {
    expect(told('2027-04-30T00:00:00.000Z')).toEqual({ reached: ['P0D', 'P3D', 'P7D'], next: undefined });
    expect(told('2027-04-30T00:00:00.000Z', '2027-03-30T12:00:00.000Z').reached).toEqual(['P7D']);
    expect(told('2027-05-30T00:00:00.000Z', '2027-04-30T00:00:00.000Z').reached).toEqual([]);
  });
});

test('nobody is mailed again within a day', () => {
  const reminded = { ina: DUE };
  expect(mayBeMailed(reminded, 'ina', '2027-03-28T10:59:59.999Z')).toBe(false);
  expect(mayBeMailed(reminded, 'ina', '2027-03-28T11:00:00.000Z')).toBe(true);
  expect(mayBeMailed(reminded, 'lea', DUE)).toBe(true);
});
