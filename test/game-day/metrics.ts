import type { Seen } from './alarms.ts';

interface Line extends Record<string, unknown> {
  operation?: string;
  _aws?: { CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[] };
}

/**
 * Takes the log lines of the service from the output, and their metrics as CloudWatch extracts them.
 * @param areaOf the area of an operation, which only a deployed function has in its variables
 */
export const watchMetrics = (areaOf: (operation: string) => string) => {
  const write = process.stdout.write.bind(process.stdout);
  let seen: Seen[] = [];
  const take = (line: Line): void => {
    for (const { Dimensions, Metrics } of line._aws!.CloudWatchMetrics)
      for (const { Name } of Metrics) {
        const [[dimension] = []] = Dimensions;
        const of = dimension === 'area' ? areaOf(line.operation!) : dimension && String(line[dimension]);
        seen.push({ namespace: 'own', name: Name, of, value: Number(line[Name]) });
      }
  };
  process.stdout.write = (chunk: string | Uint8Array, ...rest: never[]) => {
    const text = String(chunk);
    if (!text.startsWith('{')) return write(chunk, ...rest);
    const line = JSON.parse(text) as Line;
    if (line._aws) take(line);
    return true;
  };
  return {
    /** What was seen since this was last asked. */
    read: (): Seen[] => {
      const read = seen;
      seen = [];
      return read;
    },
    stop: () => {
      process.stdout.write = write;
    },
  };
};
