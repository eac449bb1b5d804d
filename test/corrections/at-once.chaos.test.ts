import type { Caller } from '../../shared/base/caller.ts';
import type { CorrectionStep } from '../../shared/domain/inspections/corrections.ts';
import type { Correction } from '../../shared/schemas/inspections/correction.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { findingsOf, inspectionOf, recordsOf, save, saved } from '../answers/fixtures.ts';
import { advance, newColleague, startedInspection } from '../inspections/fixtures.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { impatient, installFaults } from '../support/faults.ts';
import { newPerson, type Person } from '../support/people.ts';
import { betweenSome } from '../support/places.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { at, closeOf, openCorrection, patchOf, take } from './fixtures.ts';

installFaults();
impatient();

const FAILING = { finding: { create: 'auto' } };
const [RAIL, LADDER] = [uuid(3), uuid(4)];
const FAMILY = {
  content: contentWith(field(3, 'pass_fail_na', FAILING), field(4, 'pass_fail_na', FAILING)),
};

let ana: Person;
/** Approves, and takes no part. */
let lea: Caller;

beforeEach(async () => {
  ana = await newPerson('Ana');
  const { user_id, id } = await newColleague(ana, 'Lea');
  lea = { ...ana.caller, user_id, key_id: id, name: 'Lea' } as Caller;
});

/** A correction by which the rail fails and the inspection has another name. */
interface Prepared {
  inspection: Inspection;
  correction: Correction;
  /** What came of an answer that was saved meanwhile. */
  saved?: number;
}

/** Nobody may have decided before. */
const allowed = async (taken: Promise<unknown>): Promise<void> => {
  await taken.catch(({ status, code }: { status?: number; code?: string }) => {
    if (status !== 409) throw new Error(`${status} ${code}`);
  });
};

type Act = (prepared: Prepared) => Promise<unknown>;

const step =
  (name: CorrectionStep): Act =>
  ({ correction }) =>
    allowed(take(lea, correction, name));

const saveLadder: Act = async (prepared) => {
  const { status } = await save(ana, prepared.inspection, { field_id: LADDER, value: 'fail' });
  expect([200, 409]).toContain(status);
  prepared.saved = status;
};

const rename: Act = async ({ inspection }) => {
  expect([200, 409]).toContain((await patchOf(ana, inspection, { name: 'Pier' })).status);
};

const PAIRS: [mode: 'tracked' | 'reapprove', work: CorrectionStep, act: string, Act][] = [
  ['tracked', 'close', 'discards it', step('discard')],
  ['tracked', 'close', 'closes it too', step('close')],
  ['tracked', 'close', 'saves an answer', saveLadder],
  ['tracked', 'close', 'changes the setup', rename],
  ['tracked', 'discard', 'closes it', step('close')],
  ['tracked', 'discard', 'discards it too', step('discard')],
  ['tracked', 'discard', 'saves an answer', saveLadder],
  ['reapprove', 'close', 'saves an answer', saveLadder],
  ['reapprove', 'approve', 'approves it too', step('approve')],
  ['reapprove', 'approve', 'rejects it', step('reject')],
  ['reapprove', 'approve', 'asks for changes', step('request_changes')],
  ['reapprove', 'reject', 'approves it', step('approve')],
  ['reapprove', 'reject', 'discards it', step('discard')],
];

test.each(PAIRS)(
  '%s: while somebody is to %s a correction, somebody else %s between any two calls, and it ends once',
  async (correction_mode, work, _, act) => {
    const { id: template_family_id } = await publishedFamily(ana.key, {
      ...FAMILY,
      requires_approval: correction_mode === 'reapprove',
      settings: { correction_mode, approval: { allow_api: true, four_eyes: false } },
    });

    const prepare = async (): Promise<Prepared> => {
      const begun = await startedInspection(ana, { template_family_id });
      for (const field_id of [RAIL, LADDER]) await saved(ana, begun, { field_id, value: 'pass' });
      let inspection = await advance(ana.key, begun);
      if (correction_mode === 'reapprove') {
        const { key } = await newColleague(ana, 'Apo');
        inspection = await advance(key, begun, { decision: 'approve' });
      }
      const correction = await openCorrection(ana, inspection);
      await saved(ana, inspection, { field_id: RAIL, value: 'fail' });
      await patchOf(ana, inspection, { name: 'Quay' });
      if (work === 'approve' || work === 'reject') expect((await closeOf(ana, correction)).status).toBe(200);
      return { inspection, correction };
    };

    const check = async ({ inspection, correction, saved: answered }: Prepared): Promise<void> => {
      // What was only begun or sent back comes to its end.
      for (const name of ['approve', 'discard', 'reject', 'close'] as const) {
        await allowed(take(lea, correction, name));
      }
      const { status } = (await ana.corrections.get(at(correction))) as Correction;
      const isInForce = status === 'closed';
      const after = await inspectionOf(ana, inspection);
      expect(after).toMatchObject({ active_correction_id: null, correction_status: 'none' });
      expect(['Quay', 'Pier', inspection.name]).toContain(after.name);
      expect(after.name === inspection.name).toBe(!isInForce);
      const values = new Map(
        (await recordsOf(ana, inspection)).map(({ field_id, value }) => [field_id, value]),
      );
      const isLadderSaved = isInForce && answered === 200;
      expect(values.get(RAIL)).toBe(isInForce ? 'fail' : 'pass');
      expect(values.get(LADDER)).toBe(isLadderSaved ? 'fail' : 'pass');
      const open = (await findingsOf(ana, inspection)).filter(({ trigger_cleared }) => !trigger_cleared);
      const failing = [...values].flatMap(([field_id, value]) => (value === 'fail' ? [field_id] : []));
      expect(new Set(open.map(({ field_id }) => field_id))).toEqual(new Set(failing));
      expect(open).toHaveLength(failing.length);
    };

    const places = await betweenSome({
      prepare,
      work: ({ correction }) => allowed(take(lea, correction, work)),
      act,
      check,
    });
    expect(places).toBeGreaterThan(3);
    expect(await checkOrganization(ana.caller, { repair: false })).toMatchObject({ found: 0 });
  },
);

test('a late discard leaves the next correction alone, wherever somebody else has discarded and opened again', async () => {
  const { id: template_family_id } = await publishedFamily(ana.key, FAMILY);
  const fails = (inspection: Inspection) => saved(ana, inspection, { field_id: RAIL, value: 'fail' });
  const places = await betweenSome({
    prepare: async (): Promise<Prepared> => {
      const begun = await startedInspection(ana, { template_family_id });
      for (const field_id of [RAIL, LADDER]) await saved(ana, begun, { field_id, value: 'pass' });
      const inspection = await advance(ana.key, begun);
      const correction = await openCorrection(ana, inspection);
      await fails(inspection);
      await patchOf(ana, inspection, { name: 'Quay' });
      return { inspection, correction };
    },
    work: step('discard'),
    act: async (prepared) => {
      await step('discard')(prepared);
      await openCorrection(ana, prepared.inspection);
      await fails(prepared.inspection);
      await patchOf(ana, prepared.inspection, { name: 'Pier' });
    },
    check: async ({ inspection }) => {
      expect(await inspectionOf(ana, inspection)).toMatchObject({ name: 'Pier', correction_status: 'open' });
      const rail = (await recordsOf(ana, inspection)).find(({ field_id }) => field_id === RAIL);
      expect(rail).toMatchObject({ value: 'fail' });
    },
  });
  expect(places).toBeGreaterThan(3);
});
