import * as z from 'zod';
import { ordererOf } from '../../../shared/http/reply/field-order.ts';

describe('ordererOf', () => {
  const inner = z.strictObject({ a: z.number(), b: z.number() });
  const schema = z.strictObject({
    first: z.string(),
    second: inner.nullable(),
    third: z.array(z.strictObject({ of: inner })),
    free: z.unknown(),
  });

  it('puts the fields of a reply, also nested ones, into the order of their schema', () => {
    const given = {
      free: { b: 1, a: 2 },
      third: [{ of: { b: 1, a: 2 } }],
      other: 1,
      second: { b: 1, a: 2 },
      first: 'x',
    };
    expect(JSON.stringify(ordererOf(schema)(given))).toBe(
      '{"first":"x","second":{"a":2,"b":1},"third":[{"of":{"a":2,"b":1}}],"free":{"b":1,"a":2},"other":1}',
    );
  });

  it('leaves out nothing and adds nothing', () =>
    expect(ordererOf(schema)({ second: null })).toEqual({ second: null }));
});
