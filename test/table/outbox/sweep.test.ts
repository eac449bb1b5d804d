import { setImmediate as turn } from 'node:timers/promises';
import { Sweep } from '../../../shared/table/outbox/sweep.ts';

interface Item {
  org_id: string;
  kind: string;
}

const item = (org_id: string, kind = 'mail'): Item => ({ org_id, kind });

/** A sweep in which the work of which this is true fails. It notes what it has tried. */
const sweepOf = (fails: (item: Item) => boolean) => {
  const tried: string[] = [];
  const sweep = new Sweep<Item>(
    3_600_000,
    ({ kind }) => kind,
    async ([first]) => {
      tried.push(`${first!.org_id} ${first!.kind}`);
      await turn();
      if (fails(first!)) throw new Error('down');
    },
  );
  return { sweep, tried };
};

describe('a sweep', () => {
  test('serves all others while one fails, whose work of that kind waits for the next sweep', async () => {
    const { sweep, tried } = sweepOf(({ org_id, kind }) => org_id === 'a' && kind === 'mail');
    await sweep.serve([item('a'), item('b'), item('a', 'event'), item('c')]);
    await sweep.serve([item('a'), item('b'), item('a', 'event')]);
    expect(tried).toEqual(['a mail', 'b mail', 'a event', 'c mail', 'b mail', 'a event']);
    expect(sweep.delays.map(({ items }) => items[0]!.org_id)).toEqual(['a']);
  });

  test('stops trying a kind of work that fails for everybody, and goes on with the others', async () => {
    const { sweep, tried } = sweepOf(({ kind }) => kind === 'mail');
    const organizations = Array.from({ length: 40 }, (_, position) => String(position));
    await sweep.serve(organizations.flatMap((org_id) => [item(org_id), item(org_id, 'event')]));
    expect(tried.filter((name) => name.endsWith('event'))).toHaveLength(40);
    expect(tried.filter((name) => name.endsWith('mail')).length).toBeLessThan(16);
  });

  test('begins nothing once its time is over', async () => {
    const tried: Item[] = [];
    const sweep = new Sweep<Item>(
      0,
      ({ kind }) => kind,
      async (items) => void tried.push(...items),
    );
    await sweep.serve([item('a')]);
    expect([sweep.isOver, tried]).toEqual([true, []]);
  });
});
