import { numberedLabel } from '../../../../shared/domain/report/payload/labels.ts';

describe('numberedLabel', () => {
  test.each([
    ['1. Person in charge is present', '1', 'Person in charge is present'],
    ['4.2 Floors are clean', '4.2', 'Floors are clean'],
    ['4.2.1. floors', '4.2.1', 'floors'],
    ['12) Sinks', '12', 'Sinks'],
    ['(7) Sinks', '7', 'Sinks'],
    ['A3: Exits', 'A3', 'Exits'],
    ['B.1 – Exits', 'B.1', 'Exits'],
    ['7a. Exits', '7a', 'Exits'],
    ['3.1 温度', '3.1', '温度'],
    ['  A12.345.6   Floors are clean ', 'A12.345.6', 'Floors are clean'],
    ['2.  Floors ', '2', 'Floors'],
  ])('"%s" has the number %s', (label, number, rest) => {
    expect(numberedLabel(label)).toEqual({ number, label: rest });
  });

  test.each([
    '2 extinguishers per floor',
    '24/7 access',
    '1.5 m clearance is kept',
    '10:30 round was made',
    '2026-03-14',
    '3.5.',
    '7. ',
    'see 4.2 Floors',
    'x4.2 Floors',
    'Exits',
    '',
  ])('"%s" has none', (label) => {
    expect(numberedLabel(label)).toEqual({ number: null, label });
  });
});
