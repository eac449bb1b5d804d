import { merge } from '../../shared/base/fields.ts';

test.each<[string, object, object, object]>([
  ['writes what is present, and keeps what is left out', { a: 1, b: 2 }, { a: 3 }, { a: 3, b: 2 }],
  ['keeps what is undefined', { a: 1 }, { a: undefined }, { a: 1 }],
  ['clears by null', { a: { b: 1 } }, { a: null }, { a: null }],
  [
    'merges objects at any depth',
    { a: { b: { c: 1, d: 2 } } },
    { a: { b: { d: 3 } } },
    { a: { b: { c: 1, d: 3 } } },
  ],
  ['replaces lists', { a: [1, 2] }, { a: [3] }, { a: [3] }],
  ['replaces a list by an object', { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
  ['replaces an object by a list', { a: { b: 1 } }, { a: [1] }, { a: [1] }],
  ['replaces an object by a text', { a: { b: 1 } }, { a: 'x' }, { a: 'x' }],
  ['writes an object where nothing was', { a: null }, { a: { b: 1 } }, { a: { b: 1 } }],
])('merge %s', (_, current, changes, expected) => {
  const before = structuredClone(current);
  expect(merge(current, changes)).toEqual(expected);
  expect(current).toEqual(before);
});
