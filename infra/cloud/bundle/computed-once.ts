/** A function that computes a value at its first call, and keeps it. */
export const computedOnce = <Value>(compute: () => Value): (() => Value) => {
  let kept: { value: Value } | undefined;
  return () => (kept ??= { value: compute() }).value;
};
