import type { OperationEntry } from '../../../infra/catalogue.ts';
import { physicalName } from '../../../infra/cloud/names.ts';
import { operationEntries } from './catalogues.ts';
import { newApp, templatesOf } from './templates.ts';

const inArea = (entry: OperationEntry, area: string): OperationEntry => ({
  ...entry,
  file: `functions/${area}/operation.ts`,
  area,
});

/** The names of a deployment's resources that CloudFormation does not make itself, except for those of the API. */
const namesOf = async (operations: OperationEntry[]): Promise<string[]> => {
  const { templates } = await templatesOf({ operations, workers: [] });
  return templates
    .filter(({ name }) => name.includes('nested'))
    .flatMap(({ resources }) =>
      resources.flatMap(({ Type, Properties }) =>
        Object.entries(Properties ?? {}).flatMap(([property, value]) =>
          property === `${Type.split('::')[2]}Name` ? [JSON.stringify(value)] : [],
        ),
      ),
    );
};

describe('an operation that moves to another area', () => {
  test('has other physical names there, because the old ones still exist', async () => {
    const [entry] = operationEntries(1) as [OperationEntry];
    const [before, after] = [
      await namesOf([inArea(entry, 'templates')]),
      await namesOf([inArea(entry, 'reports')]),
    ];
    expect(before).toHaveLength(2);
    expect(after).toHaveLength(2);
    expect(before.filter((name) => after.includes(name))).toEqual([]);
  });

  test('cannot move between areas of the same code, which synthesis refuses', async () => {
    const [first, second] = operationEntries(2) as [OperationEntry, OperationEntry];
    const code = (area: string) => physicalName({ prefix: 'p' }, inArea(first, area));
    let number = 0;
    while (code(`area-${number}`) !== code('templates')) number += 1;
    const operations = [inArea(first, 'templates'), inArea(second, `area-${number}`)];
    await expect(newApp({ operations, workers: [] })).rejects.toThrow(
      `templates and area-${number} have the same code`,
    );
  });
});
