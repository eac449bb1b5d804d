import * as getActionForm from '../../functions/public/get-action-form.ts';
import * as submitActionForm from '../../functions/public/submit-action-form.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import type { Finding } from '../../shared/schemas/finding.ts';
import type { AnswerRecord } from '../../shared/schemas/inspections/answer.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { newColleague, newLocation, startedInspection } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { seeded } from '../support/chance.ts';
import { useClock } from '../support/clock.ts';
import { field, uuid } from '../support/content.ts';
import { mailsTo } from '../support/mails.ts';
import { mailTasks } from '../support/notices.ts';
import { deliver } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { visit } from '../support/visit.ts';

const [FLAT, NAME, DOORS, WALLS, TAPS] = [1, 2, 3, 4, 5].map((n) => uuid(n)) as [
  string,
  string,
  string,
  string,
  string,
];
const CHECKS = [DOORS, WALLS, TAPS] as const;
/** Who mends what. */
const TRADES = { [DOORS]: 'doors', [WALLS]: 'walls', [TAPS]: 'taps' } as Record<string, string>;

const check = (n: number) =>
  field(n, 'pass_fail_na', {
    finding: { create: 'auto', corrective_action: { title: `Mend ${n}`, due_in_days: 14 } },
  });
const CONTENT = {
  sections: [
    {
      id: FLAT,
      title: 'Flats',
      repeat: { label_field_id: NAME, max: 100 },
      fields: [field(2), check(3), check(4), check(5)],
    },
  ],
};

const FLATS = scaled(10, 20);
const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

/** An answer on a tablet. */
interface Given {
  client_instance_id: string;
  field_id: string;
  value: string;
  client_answered_at: string;
}

describe('the handover of a building: two tablets without network, three trades, and what they have mended', () => {
  const clock = useClock();
  const chance = seeded(120);

  let site: Person;
  let architect: { key: string };
  let inspection: Inspection;
  /** What stands at each check of each flat, by `flat field`, as the model says. */
  const state = new Map<string, string>();

  const of = ({ id }: { id: string }) => ({ params: { inspection_id: id } });
  const send = async (to: { id: string }, responses: readonly object[]): Promise<void> => {
    const { results } = await site.answers.save({ ...of(to), body: { responses } });
    const statuses = results.map(({ status }: { status: string }) => status);
    expect(statuses.filter((status: string) => status === 'invalid')).toEqual([]);
  };
  const complete = (which: { id: string }): Promise<Inspection> => site.inspections.advance(of(which));
  const findingsOf = (which: { id: string }): Promise<Finding[]> =>
    site.findings.list({ ...of(which), query: { limit: 200 } });
  const actionsOf = (which: { id: string }): Promise<CorrectiveAction[]> =>
    site.correctiveActions.list({ ...of(which), query: { limit: 200 } });
  const answersOf = (which: { id: string }): Promise<AnswerRecord[]> =>
    site.answers.list({ ...of(which), query: { limit: 200 } });
  const failing = () => [...state].filter(([, value]) => value === 'fail').map(([at]) => at);

  /** The checks of a tablet: its own half of the flats, some of the other's, and some of them twice. */
  const queueOf = (tablet: 0 | 1): Given[] => {
    const began = Date.now();
    const queue: Given[] = [];
    let minutes = tablet;
    const say = (flat: number, field_id: string, value: string) => {
      minutes += 2;
      const client_answered_at = new Date(began + minutes * 60_000).toISOString();
      queue.push({ client_instance_id: `flat-${flat}`, field_id, value, client_answered_at });
    };
    for (let flat = 0; flat < FLATS; flat += 1) {
      if (flat % 2 !== tablet && chance() > 0.3) continue;
      say(flat, NAME, `Flat ${flat}`);
      for (const check of CHECKS) say(flat, check, chance() < 0.3 ? 'fail' : 'pass');
      if (chance() < 0.3) say(flat, DOORS, 'pass');
    }
    return queue;
  };

  /** The order in which two queues arrive, in requests of a few answers. */
  const mixed = (...queues: Given[][]): Given[][] => {
    const requests: Given[][] = [];
    while (queues.some(({ length }) => length > 0)) {
      const queue = queues[chance() < 0.5 ? 0 : 1]!;
      if (queue.length > 0) requests.push(queue.splice(0, 1 + Math.floor(chance() * 12)));
    }
    return requests;
  };

  const compare = async (which: { id: string }) => {
    const answers = await answersOf(which);
    const flatAt = new Map<string, string>();
    for (const { field_id, instance_path, value } of answers) {
      if (field_id === NAME) flatAt.set(instance_path, String(value).replace('Flat ', ''));
    }
    const stored = answers
      .filter(({ field_id }) => CHECKS.includes(field_id))
      .map(
        ({ field_id, instance_path, value }) => `${flatAt.get(instance_path)} ${field_id} ${String(value)}`,
      );
    expect(stored.toSorted()).toEqual([...state].map(([at, value]) => `${at} ${value}`).toSorted());
  };

  const places = async (findings: readonly Finding[]) => {
    const answers = await answersOf(inspection);
    return findings.map(({ instance_path, field_id }) => {
      const name = answers.find((one) => one.field_id === NAME && one.instance_path === instance_path)!;
      return `${String(name.value).replace('Flat ', '')} ${field_id}`;
    });
  };

  /** How many tasks the trades have said to be done. */
  let said = 0;
  /** Says that a task is done, by its page. */
  const finish = async (token: string): Promise<void> => {
    const page = await visit(getActionForm, { token });
    const [, stamp] = /name="stamp" value="([^"]+)"/.exec(page.text)!;
    clock.pass(MINUTE);
    await visit(submitActionForm, { token, form: { stamp: stamp!, description: 'Mended', next: 'done' } });
    said += 1;
  };

  const isConsistent = async () =>
    expect((await checkOrganization(site.caller, { repair: false })).differences).toEqual([]);

  test('every state is what a model beside it says, from the first visit to the last defect', async () => {
    site = await newPerson('Site office');
    architect = await newColleague(site, 'Architect');
    const domain = `${site.caller.org_id}.example`;
    inspection = await startedInspection(site, {
      family: { content: CONTENT },
      location_id: (await newLocation(site)).id,
    });

    // The visit: the later answer counts, in whatever order the tablets get through.
    const queues = [queueOf(0), queueOf(1)] as const;
    const latest = new Map<string, Given>();
    for (const given of queues.flat()) {
      const at = `${given.client_instance_id.replace('flat-', '')} ${given.field_id}`;
      if (given.client_answered_at > (latest.get(at)?.client_answered_at ?? '')) latest.set(at, given);
    }
    for (const [at, { field_id, value }] of latest) if (field_id !== NAME) state.set(at, value);
    clock.pass(DAY / 2);
    for (const request of mixed(...queues)) {
      await send(
        inspection,
        request.map((given) => ({ section_id: FLAT, ...given })),
      );
    }
    await compare(inspection);
    expect(await complete(inspection)).toMatchObject({
      status: 'completed',
      findings_count: failing().length,
      open_corrective_actions_count: failing().length,
    });
    expect((await places(await findingsOf(inspection))).toSorted()).toEqual(failing().toSorted());

    // The tasks: one mail for each trade, with all of its own.
    for (const action of await actionsOf(inspection)) {
      clock.pass(1);
      const { field_id } = (await site.findings.get({
        params: { finding_id: action.finding_id },
      })) as Finding;
      const contact = { email: `${TRADES[field_id!]}@${domain}` };
      await site.correctiveActions.update({ params: { ca_id: action.id }, body: { contact } });
    }
    for (const task of await mailTasks(site)) expect(await deliver(sendMail, task)).toBe(true);
    for (const [question, trade] of Object.entries(TRADES)) {
      const mails = await mailsTo(`${trade}@${domain}`);
      const links = mails.flatMap(({ body }) => body.text!.match(/\/c\/[\w-]{22}/g) ?? []);
      expect([trade, mails.length, new Set(links).size]).toEqual([
        trade,
        1,
        failing().filter((at) => at.endsWith(question)).length,
      ]);
      for (const link of new Set(links)) {
        if (chance() < 0.8) await finish(link.slice('/c/'.length));
      }
    }
    const finished = (await actionsOf(inspection)).filter(({ status }) => status === 'pending_verification');
    expect(finished).toHaveLength(said);

    // The visits after: what failed is asked again until nothing fails.
    let former = inspection;
    let visits = 0;
    while (failing().length > 0) {
      visits += 1;
      clock.pass(14 * DAY);
      const again: Inspection = await site.inspections.createReinspection(of(former));
      await site.inspections.start(of(again));
      const asked = (await answersOf(again)).filter(({ is_asked_again }) => is_asked_again);
      expect((await places(asked as never)).toSorted()).toEqual(failing().toSorted());
      const answers = asked.map(({ field_id, instance_path }) => ({
        section_id: FLAT,
        field_id,
        instance_path,
        value: chance() < 0.7 ? 'pass' : 'fail',
      }));
      const named = await places(answers as never);
      await send(again, answers);
      for (const [n, { value }] of answers.entries()) state.set(named[n]!, value);
      await complete(again);
      // One "pass" was wrong, and is corrected.
      const wrong = answers.findIndex(({ value }) => value === 'pass');
      if (visits === 1 && wrong >= 0) {
        const { id: correction_id } = await site.corrections.create({
          ...of(again),
          body: { reason: 'Wrong flat' },
        });
        await send(again, [{ ...answers[wrong]!, value: 'fail' }]);
        await site.corrections.close({ params: { ...of(again).params, correction_id } });
        state.set(named[wrong]!, 'fail');
      }
      await compare(again);
      const open = (await findingsOf(inspection)).filter(({ status }) => status !== 'resolved');
      expect((await places(open)).toSorted()).toEqual(failing().toSorted());
      expect(await findingsOf(again)).toEqual([]);
      await isConsistent();
      former = again;
    }
    for (const action of await actionsOf(inspection)) {
      clock.pass(1);
      expect(action.status).toBe('pending_verification');
      await as(architect).correctiveActions.verify({ params: { ca_id: action.id } });
    }
    expect(visits).toBeGreaterThan(1);
    expect(await site.inspections.get(of(inspection))).toMatchObject({ open_corrective_actions_count: 0 });
    await isConsistent();
  });
});
