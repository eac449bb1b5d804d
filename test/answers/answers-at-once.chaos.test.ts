import { advance } from '../inspections/fixtures.ts';
import { statusCounts } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { answering, inspectionOf, recordsOf, save, TEXT } from './fixtures.ts';

let person: Person;

// A key allows 300 requests in a minute, so each test has a person of its own.
beforeEach(async () => {
  person = await newPerson('Crowd');
});

describe('PUT /inspections/{inspection_id}/responses, concurrently', () => {
  const REQUESTS = scaled(60, 200);

  test(`200 or 503 for each of ${REQUESTS} concurrent requests, with one version for each 200`, async () => {
    const inspection = await answering(person);
    const result = await Promise.all(
      Array.from({ length: REQUESTS }, (_, n) =>
        save(person, inspection, { field_id: TEXT, value: `value ${n}` }),
      ),
    );
    const counts = statusCounts(result);
    expect(Object.keys(counts).filter((status) => status !== '200' && status !== '503')).toEqual([]);
    const versions = result.flatMap(({ status, body }) => (status === 200 ? [body.version as number] : []));
    expect(versions.toSorted((a, b) => a - b)).toEqual(versions.map((_, n) => n + 1));
    const [record] = await recordsOf(person, inspection);
    expect(record!.version).toBe(versions.length);
    expect((await inspectionOf(person, inspection)).progress.answered).toBe(1);
  });

  test('200 before the inspection is completed, 409 afterwards', async () => {
    for (let round = 0; round < scaled(2, 5); round += 1) {
      const inspection = await answering(person);
      const [advanced, ...answers] = await Promise.all([
        advance(person.key, inspection),
        ...Array.from({ length: 5 }, (_, n) => save(person, inspection, { field_id: TEXT, value: `${n}` })),
      ]);
      expect(advanced.status).toBe('completed');
      for (const { status, body } of answers) {
        expect([200, 409]).toContain(status);
        if (status === 200) expect(body.answered_at <= advanced.completed_at!).toBe(true);
      }
      const versions = answers.filter(({ status }) => status === 200).length;
      expect((await recordsOf(person, inspection))[0]?.version ?? 0).toBe(versions);
      expect((await inspectionOf(person, inspection)).progress.answered).toBe(Number(versions > 0));
    }
  });
});
