import { setTimeout as sleep } from 'node:timers/promises';
import { Turn } from '../../../../shared/db/table/outbox/turn.ts';

interface Item {
  org_id: string;
  kind: string;
}

const item = (org_id: string, kind = 'mail'): Item => ({ org_id, kind });

/** A turn in which the work of which this is true fails. It notes what it has tried. */
const turnOf = (fails: (item: Item) => boolean) => {
  const tried: string[] = [];
  const turn = new Turn<Item>(
    10_000,
    ({ kind }) => kind,
    async ([first]) => {
      tried.push(`${first!.org_id} ${first!.kind}`);
      await sleep(1);
      if (fails(first!)) throw new Error('down');
    },
  );
  return { turn, tried };
};

describe('a turn', () => {
  test('serves all others while one fails, whose work of that kind waits for the next turn', async () => {
    const { turn, tried } = turnOf(({ org_id, kind }) => org_id === 'a' && kind === 'mail');
    await turn.serve([item('a'), item('b'), item('a', 'event'), item('c')]);
    await turn.serve([item('a'), item('b'), item('a', 'event')]);
    expect(tried).toEqual(['a mail', 'b mail', 'a event', 'c mail', 'b mail', 'a event']);
    expect(turn.delays.map(({ items }) => items[0]!.org_id)).toEqual(['a']);
  });

  test('stops trying a kind of work that fails for everybody, and goes on with the others', async () => {
    const { turn, tried } = turnOf(({ kind }) => kind === 'mail');
    const organizations = Array.from({ length: 40 }, (_, position) => String(position));
    await turn.serve(organizations.flatMap((org_id) => [item(org_id), item(org_id, 'event')]));
    expect(tried.filter((name) => name.endsWith('event'))).toHaveLength(40);
    expect(tried.filter((name) => name.endsWith('mail')).length).toBeLessThan(16);
  });

  test('begins nothing once its time is over', async () => {
    const tried: Item[] = [];
    const turn = new Turn<Item>(
      0,
      ({ kind }) => kind,
      async (items) => void tried.push(...items),
    );
    await turn.serve([item('a')]);
    expect([turn.isOver, tried]).toEqual([true, []]);
  });
});
