import { countChanges } from '../numbers/fixtures.ts';
import { newPerson } from '../support/people.ts';
import { newAction } from './fixtures.ts';

describe('GET /corrective-actions/summary', () => {
  test('200 without a group: the totals of a year, and nothing of another organization', async () => {
    const [person, stranger] = [await newPerson('Statistician'), await newPerson('Stranger')];
    await newAction(person);
    await countChanges(person);
    const { totals, groups } = await person.correctiveActions.summarize();
    expect([totals.actions, totals.open, groups]).toEqual([1, 1, []]);
    expect((await stranger.correctiveActions.summarize()).totals.actions).toBe(0);
  });
});
