import { formAt, FORM } from '../../shared/table/forms.ts';
import { keys } from '../../shared/table/keys.ts';
import { allRows, caller, forms, NEW, OLD_ROWS, run, useOldRows } from './old-rows.ts';

useOldRows();

describe('migrate', () => {
  test('stores every row in the form of this release, no faster than it may, and counts them', async () => {
    const total = (await allRows()).length;
    const { read, outdated, waits } = await run();
    expect(await forms()).toEqual([NEW, NEW]);
    expect(outdated).toBe(2 * OLD_ROWS);
    const organizations = `organization ${formAt(keys.organization(caller))}`;
    expect(read).toMatchObject({ 'CLIENT 1': 2 * OLD_ROWS, [organizations]: 2 });
    // Its own row may stand before or behind the page that is read.
    const { 'migration 1': _, ...others } = read;
    expect(Object.values(others).reduce((sum, count) => sum + count)).toBe(total);
    expect(waits.length).toBeGreaterThan(2);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(1_000);
    const row = (await allRows()).find(({ pk }) => pk.endsWith('#CLIENT'));
    expect(row).toEqual({ pk: row!.pk, sk: row!.sk, labels: [expect.stringMatching(/^client /)], [FORM]: 2 });
    expect(await run()).toMatchObject({ outdated: 0, read: { 'CLIENT 2': 2 * OLD_ROWS } });
  });

  test('counts alone in a dry run, and writes nothing', async () => {
    const before = await allRows();
    expect(await run({ dryRun: true })).toMatchObject({ outdated: 2 * OLD_ROWS });
    expect(await allRows()).toEqual(before);
  });
});
