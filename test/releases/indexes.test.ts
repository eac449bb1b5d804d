import { TABLE } from '../../shared/db/table/table.ts';
import { frozenCode, RELEASES } from './frozen.ts';

type Index = Readonly<Record<'name' | 'partitionKey' | 'sortKey', string>>;

/** The indexes of the table as a release has them. */
const indexesOf = (release: string): Index[] =>
  [
    ...frozenCode(release).matchAll(
      /\{name:"(?<name>\w+)",partitionKey:"(?<partitionKey>\w+)",sortKey:"(?<sortKey>\w+)"\}/g,
    ),
  ].map(({ groups }) => ({ ...groups }) as unknown as Index);

/** The indexes that are created or deleted between two states of the table: one with another key is both. */
const changesBetween = (before: readonly Index[], after: readonly Index[]): string[] => {
  const described = (indexes: readonly Index[]) =>
    new Set(indexes.map(({ name, partitionKey, sortKey }) => `${name} (${partitionKey}, ${sortKey})`));
  return [...described(before).symmetricDifference(described(after))];
};

describe('the indexes of the table', () => {
  test('differ in one at most from those of the last release, because DynamoDB refuses to change two at once', () => {
    const last = indexesOf(RELEASES.at(-1)!);
    expect(last.length).toBeGreaterThanOrEqual(5);
    expect(changesBetween(last, TABLE.indexes).length).toBeLessThanOrEqual(1);
  });

  test('count as two changes when one gets another key', () => {
    const [first, ...others] = TABLE.indexes;
    expect(changesBetween(TABLE.indexes, [{ ...first, sortKey: 'pk' }, ...others])).toHaveLength(2);
    expect(changesBetween(TABLE.indexes, others)).toHaveLength(1);
  });
});
