import * as fc from 'fast-check';
import * as advanceInspection from '../../functions/inspections/advance-inspection.ts';
import * as archiveInspection from '../../functions/inspections/archive-inspection.ts';
import * as deleteInspection from '../../functions/inspections/delete-inspection.ts';
import * as duplicateInspection from '../../functions/inspections/duplicate-inspection.ts';
import * as restoreInspection from '../../functions/inspections/restore-inspection.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { as } from '../support/call.ts';
import { newPerson } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { runs } from '../support/scale.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { newInspection, NOTHING_REQUIRED } from './fixtures.ts';

installRecorder();

const counted = (all: readonly Inspection[]) => {
  const having = (status: string) => all.filter((one) => one.status === status).length;
  return {
    scheduled: having('scheduled'),
    in_progress: having('in_progress'),
    pending_approval: having('pending_approval'),
    pending_sign_off: having('pending_sign_off'),
    completed: having('completed'),
    archived: having('archived'),
    overdue: all.filter(({ is_overdue }) => is_overdue).length,
    total: all.length,
  };
};

const STEPS = [
  advanceInspection,
  archiveInspection,
  restoreInspection,
  duplicateInspection,
  deleteInspection,
] as const;

const step = fc.record({ which: fc.nat(), endpoint: fc.constantFrom(...STEPS) });
const due = fc.record({
  which: fc.nat(),
  due_at: fc.constantFrom(null, '2020-01-01T00:00:00Z', '2040-01-01T00:00:00Z'),
});

describe('GET /inspections/summary', () => {
  test('200 with the counts of the whole list, after any steps', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(step, step, due), { minLength: 5, maxLength: 25 }),
        async (history) => {
          const person = await newPerson('Statistician');
          const family = await publishedFamily(person.key, { ...NOTHING_REQUIRED, requires_approval: true });
          for (const due_at of [null, '2020-01-01T00:00:00Z']) {
            await newInspection(person, { template_family_id: family.id, due_at });
          }
          const all = (): Promise<Inspection[]> => person.inspections.list();
          for (const event of history) {
            const current = await all();
            const inspection_id = current[event.which % current.length]?.id;
            if (!inspection_id) break;
            const params = { inspection_id };
            // Some of these steps are refused, which must not change the counts.
            await ('endpoint' in event
              ? as(person).call(event.endpoint, { params })
              : person.try.inspections.update({ params, body: { due_at: event.due_at } }));
          }
          const now = await all();
          expect(await person.inspections.summarize()).toEqual(counted(now));
          for (const query of [
            { archived: false },
            { status: ['scheduled', 'archived'] },
            { overdue: true },
          ]) {
            const listed = await person.inspections.list({ query });
            expect(await person.inspections.summarize({ query })).toEqual(counted(listed));
          }
        },
      ),
      { numRuns: runs(12) },
    );
  });

  test('200 in three database calls without filters, and without inspections of another organization', async () => {
    const person = await newPerson('Counter');
    await newInspection(await newPerson('Stranger'));
    const { result, sent } = await recording(() => person.try.inspections.summarize());
    expect(result.body).toEqual(counted([]));
    expect(sent.tableCalls - sent.stamps + 1).toBe(3);
  });

  test('422 for a parameter that only lists have', async () => {
    const person = await newPerson('Reader');
    expect((await person.try.inspections.summarize({ query: { limit: 5 } })).status).toBe(422);
  });
});
