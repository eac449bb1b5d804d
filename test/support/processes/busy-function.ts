/** What the function is asked to do. */
interface Request {
  /** It computes until this is no longer zero. */
  gate?: Int32Array;
  fails?: boolean;
  /** Whether it takes more memory than a thread has. */
  takesAll?: boolean;
}

/** A function that computes, fails or takes memory, for tests of threads. */
export const handler = async ({ gate, fails = false, takesAll = false }: Request, context: object) => {
  if (fails) throw new Error('broken');
  const taken: object[] = [];
  if (takesAll) for (;;) taken.push(Array(4_000_000).fill(0.5));
  const isShut = () => gate !== undefined && Atomics.load(gate, 0) === 0;
  while (isShut());
  return { context: Object.keys(context).includes('functionName') };
};
