import { matches } from '../../../infra/local/workers/filter.ts';
import { OUTBOX_FILTER } from '../../../shared/table/table.ts';

const record = (eventName: string, NewImage?: object) => ({ eventName, dynamodb: { NewImage } });

describe('matches', () => {
  test.each([
    ['a new row of the outbox', record('INSERT', { outbox: { S: 'x' } }), true],
    ['a changed row of the outbox', record('MODIFY', { outbox: { S: 'x' } }), false],
    ['a deleted row', record('REMOVE'), false],
    ['another row', record('INSERT', { name: { S: 'x' } }), false],
    ['an attribute of another type', record('INSERT', { outbox: { N: '1' } }), false],
    ['no record', {}, false],
  ])('%s', (_what, value, expected) => {
    expect(matches(value, OUTBOX_FILTER)).toBe(expected);
  });

  test('supports prefixes and existence', () => {
    expect(matches({ a: 'xyz' }, { a: [{ prefix: 'x' }] })).toBe(true);
    expect(matches({ a: 'xyz' }, { a: [{ prefix: 'y' }] })).toBe(false);
    expect(matches({ a: null }, { a: [{ exists: true }], b: [{ exists: false }] })).toBe(true);
    expect(matches({}, { a: ['x', { exists: false }] })).toBe(true);
  });
});
