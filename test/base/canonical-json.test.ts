import fc from 'fast-check';
import { canonicalJson } from '../../shared/base/encoding.ts';

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, inner]) => [name, shuffled(inner)]),
  );
};

describe('canonicalJson', () => {
  test('sorts members by UTF-16 code units, and writes numbers as ECMAScript does (RFC 8785, 3.2)', () => {
    expect(
      canonicalJson({ '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1F600}': 5, '\u0080': 6, ö: 7 }),
    ).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"\u20ac":1,"\u{1F600}":5,"\ufb33":3}');
    expect(canonicalJson([Number('333333333.33333329'), 1e30, 4.5, 2e-3, -0, 10, null, true])).toBe(
      '[333333333.3333333,1e+30,4.5,0.002,0,10,null,true]',
    );
  });

  test('leaves out undefined values, as JSON does', () => {
    expect(canonicalJson({ a: undefined, b: { c: undefined } })).toBe('{"b":{}}');
  });

  test('gives the same text for equal values, and JSON.parse gives the value back', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
