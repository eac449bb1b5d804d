import { unstorable } from '../../../shared/http/request/storable.ts';
import { locs } from '../../support/call.ts';
import { uuid } from '../../support/content.ts';
import { effort } from '../../support/effort.ts';
import { newPerson } from '../../support/people.ts';

const listOf = (count: number, element: string): string => `[${Array(count).fill(element).join(',')}]`;

describe('a body with very many values', () => {
  const problem = {
    loc: ['body'],
    type: 'value_error',
    msg: 'Value error, there are more than 300,000 values',
  };

  test('is refused as a whole, in little time and memory', () => {
    for (const json of [
      listOf(2_000_000, '0'),
      `{"a":${listOf(1_300_000, '{}')}}`,
      listOf(400_000, '[[]]'),
    ]) {
      const body: unknown = JSON.parse(json);
      const [begin, before] = [effort(), process.memoryUsage().heapUsed];
      expect(unstorable(body)).toEqual([problem]);
      expect(effort() - begin).toBeLessThan(150);
      // A path for each value would take several hundred megabytes.
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
    }
  });

  test('may have 300,000, wherever they are', () => {
    expect(unstorable(JSON.parse(listOf(299_999, '0')))).toEqual([]);
    expect(unstorable(JSON.parse(listOf(300_000, '0')))).toEqual([problem]);
    expect(unstorable(JSON.parse(listOf(100_000, '{"a":[0]}')))).toEqual([problem]);
  });

  test('422 at an endpoint', async () => {
    const admin = await newPerson('Writer');
    const tags = JSON.parse(listOf(300_000, '"a"')) as string[];
    const params = { family_id: uuid(1) };
    const answer = await admin.try.families.replaceTags({ params, body: { tags } });
    expect([answer.status, locs(answer)]).toEqual([422, ['body']]);
  });
});
