/** What the function is asked to do. */
interface Request {
  /** Milliseconds of computing. */
  busy?: number;
  fails?: boolean;
  /** Whether it takes more memory than a thread has. */
  takesAll?: boolean;
}

/** A function that computes, fails or takes memory, for tests of threads. */
export const handler = async ({ busy = 0, fails = false, takesAll = false }: Request, context: object) => {
  if (fails) throw new Error('broken');
  const taken: object[] = [];
  if (takesAll) for (;;) taken.push(Array.from({ length: 1_000_000 }).fill(0.5));
  const begin = performance.now();
  while (performance.now() - begin < busy);
  return { context: Object.keys(context).includes('functionName'), begin, end: performance.now() };
};
