/** The cells of a line of the result. */
export type Line = readonly string[];

/** The median, which single slow runs do not affect. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/** A number with about three significant digits. */
export const rounded = (value: number): string => {
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
};

/** Three cells: the ratio of a value to the smallest possible one, the goal for it, and whether the goal is met. */
export const ratio = (measured: number, floor: number, goal: number): Line => {
  const times = measured / floor;
  return [`${times.toFixed(2)}×`, `≤ ${goal}×`, times <= goal ? 'met' : 'MISSED'];
};

export const RATIO = ['ratio', 'goal', ''] as const;

/** Writes a table, its first column aligned to the left and the others to the right. */
export const print = (title: string, header: Line, lines: readonly Line[], note = ''): void => {
  const widths = header.map((_, column) =>
    Math.max(...[header, ...lines].map((line) => line[column]?.length ?? 0)),
  );
  const row = (line: Line): string =>
    widths
      .map((width, column) => {
        const cell = line[column] ?? '';
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('   ')
      .trimEnd();
  const rule = '─'.repeat(widths.reduce((sum, width) => sum + width + 3, -3));
  const text = [title, note, rule, row(header), rule, ...lines.map(row), rule].filter((part) => part !== '');
  process.stdout.write(`\n${text.join('\n')}\n`);
};
