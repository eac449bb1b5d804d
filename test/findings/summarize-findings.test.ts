import { newFinding } from '../corrective-actions/fixtures.ts';
import { countChanges } from '../numbers/fixtures.ts';
import { newPerson } from '../support/people.ts';

describe('GET /findings/summary', () => {
  test('200 without a group: the totals of a year, and nothing of another organization', async () => {
    const [person, stranger] = [await newPerson('Statistician'), await newPerson('Stranger')];
    await newFinding(person);
    await countChanges(person);
    const { totals, groups } = await person.findings.summarize();
    expect([totals.findings, totals.open, groups]).toEqual([1, 1, []]);
    expect((await stranger.findings.summarize()).totals.findings).toBe(0);
  });
});
