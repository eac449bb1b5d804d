import * as z from 'zod';

/** One entry of a 422's `detail`. */
export const Problem = z.strictObject({
  loc: z.array(z.string()),
  msg: z.string(),
  type: z.string(),
  input: z.unknown().optional(),
  ctx: z.record(z.string(), z.unknown()).optional(),
});
