import * as errors from '../../shared/base/errors.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { keys } from '../../shared/table/keys.ts';
import { usageOf } from '../../shared/table/usage.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { deleteRemains } from '../../shared/upkeep/remains.ts';
import {
  advance,
  answer,
  newInspection,
  sharedFamily,
  sortKeys,
  startedInspection,
} from '../inspections/fixtures.ts';
import { type Answer, as } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { between, installFaults, killAfter, withFault } from '../support/faults.ts';
import { auditOf, newPerson, type Person } from '../support/people.ts';
import { signIn } from '../support/signed-in.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { newClientAccount } from './scenarios.ts';

installFaults();

const FAMILY = {
  content: contentWith(field(2), field(3, 'signature')),
  requires_approval: true,
  requires_sign_off: true,
  settings: {
    approval: { allow_api: true, four_eyes: false },
    sign_off: { signatures_required: 2 },
  },
};
const UNAPPROVED = { ...FAMILY, requires_approval: false };

let org: Person;
let client_account_id: string;
beforeEach(async () => {
  org = await newPerson('Org');
  client_account_id = (await newClientAccount(org)).id;
});

const of = ({ id }: { id: string }) => ({ params: { inspection_id: id } });
const params = () => ({ ca_id: client_account_id });
const cascade = (): Promise<Answer> =>
  org.try.clientAccounts.delete({ params: params(), query: { cascade: true } });
const erase = async (): Promise<Answer> =>
  as(await signIn(org)).try.clientAccounts.erase({ params: params() });
const read = (inspection: { id: string }): Promise<Answer> => org.try.inspections.get(of(inspection));
const rowsBelow = ({ id }: { id: string }) => sortKeys(org, keys.below(org.caller, 'INSPECTION', id));
const kept = async (): Promise<number> => (await usageOf(org.caller, 'CLIENT', client_account_id)).kept;

/** Does the task of a deletion to its end. */
const finish = (): Promise<void> => deleteRemains(org.caller, { client_account_id }, Infinity);

/** An inspection of the client account that was submitted. */
const submitted = async (family: object = FAMILY): Promise<Inspection> => {
  const template_family_id = await sharedFamily(org, family);
  const inspection = await startedInspection(org, { client_account_id, template_family_id });
  await answer(org, inspection, uuid(2), 'Tight');
  return advance(org.key, inspection);
};

const sign = (inspection: Inspection, signed_name: string): Promise<Inspection> =>
  advance(org.key, inspection, { sign_off: { signed_name } });

const approved = async (): Promise<Inspection> =>
  advance(org.key, await submitted(), { decision: 'approve' });

const completed = async (): Promise<Inspection> => {
  const inspection = await approved();
  await sign(inspection, 'Ann Lee');
  return sign(inspection, 'Bo Lee');
};

const KEPT: Record<string, () => Promise<unknown>> = {
  completed,
  'being corrected': async () =>
    org.corrections.create({ ...of(await completed()), body: { reason: 'A typing error' } }),
  'approved and awaiting signatures': approved,
  signed: async () => sign(await submitted(UNAPPROVED), 'Ann Lee'),
};

/** Kept as well, by what they were once. */
const WERE: Record<string, [string, () => Promise<unknown>]> = {
  'was archived after its completion': [
    'completed',
    async () => org.inspections.archive(of(await completed())),
  ],
  'was sent back after its approval': [
    'approved once',
    async () => advance(org.key, await approved(), { decision: 'request_changes', comment: 'Blurred' }),
  ],
  'has a signature among its answers': [
    'signed',
    async () => {
      const inspection = await startedInspection(org, { client_account_id, family: FAMILY });
      const value = { typed: 'Ann Lee', signed_name: 'Ann Lee', signed_at: '2026-01-01T00:00:00Z' };
      await answer(org, inspection, uuid(3), value);
      await answer(org, inspection, uuid(3), null);
    },
  ],
};

const refusal = (reason: string) => [409, errors.inspectionsKept(`1 ${reason}`).detail];

describe('DELETE /client-accounts/{ca_id} with cascade', () => {
  const cases = [...Object.entries(KEPT), ...Object.values(WERE)];

  test.each(cases)('409 for one that is %s, which stays as it is', async (reason, make) => {
    await make();
    const before = await org.inspections.list();
    const { status, body } = await cascade();
    expect([status, body.detail]).toEqual(refusal(reason));
    expect(await org.inspections.list()).toEqual(before);
    expect(await kept()).toBe(1);
    expect((await org.clientAccounts.get({ params: params() })).id).toBe(client_account_id);
    expect(await checkOrganization(org.caller, { repair: false })).toMatchObject({ found: 0 });
  });

  test('409 with the numbers of each sort', async () => {
    await completed();
    await completed();
    await approved();
    await newInspection(org, { client_account_id });
    const { body } = await cascade();
    expect(body.detail).toContain(': 2 completed, 1 approved and awaiting signatures.');
  });

  test('204 without any, also for what was rejected, with the numbers in the audit log', async () => {
    const rejected = await submitted();
    await advance(org.key, rejected, { decision: 'reject' });
    const started = await startedInspection(org, { client_account_id });
    await org.issues.create({ body: { title: 'Leak', client_account_id } });
    expect((await cascade()).status).toBe(204);
    await finish();
    for (const each of [rejected, started]) expect((await read(each)).status).toBe(404);
    expect((await auditOf(org)).at(-1)).toMatchObject({
      action: 'client_account.deleted',
      target_id: client_account_id,
      actor_id: org.caller.user_id,
      changes: { inspections: { from: 2, to: 0 }, issues: { from: 1, to: 0 } },
    });
  });

  test('an inspection that moves to another client account is kept there', async () => {
    const inspection = await completed();
    const { id } = await newClientAccount(org);
    await org.corrections.create({ ...of(inspection), body: { reason: 'The wrong client' } });
    await org.inspections.update({ ...of(inspection), body: { client_account_id: id } });
    expect([await kept(), (await usageOf(org.caller, 'CLIENT', id)).kept]).toEqual([0, 1]);
    expect((await cascade()).status).toBe(204);
    await finish();
    expect((await read(inspection)).status).toBe(200);
    expect(await checkOrganization(org.caller, { repair: false })).toMatchObject({ found: 0 });
  });

  test('an approval between any two calls keeps the inspection, or is refused', async () => {
    let deleted: Answer;
    let decided: Answer;
    const places = await between({
      prepare: async () => {
        client_account_id = (await newClientAccount(org)).id;
        return submitted();
      },
      work: async () => {
        deleted = await cascade();
      },
      act: async (inspection) => {
        decided = await org.try.inspections.advance({ ...of(inspection), body: { decision: 'approve' } });
      },
      check: async (inspection) => {
        if (deleted.status === 204) {
          expect([decided.status, decided.body.detail]).toEqual([409, errors.ownerDeleted().detail]);
          await finish();
        }
        const [isDeleted, isGone] = [deleted.status === 204, (await read(inspection)).status === 404];
        expect([decided.status, isDeleted]).toEqual([isGone ? 409 : 200, isGone]);
      },
    });
    expect(places).toBeGreaterThan(3);
  });

  test('an inspection is not completed, approved, signed or moved away while the worker deletes it', async () => {
    const other = (await newClientAccount(org)).id;
    const acts: ((inspection: Inspection) => Promise<Answer>)[] = [
      (inspection) => org.try.inspections.advance({ ...of(inspection), body: { decision: 'approve' } }),
      (inspection) =>
        org.try.inspections.advance({ ...of(inspection), body: { decision: 'reject', comment: 'No' } }),
    ];
    for (const act of acts) {
      let acted: Answer;
      await between({
        prepare: async () => {
          client_account_id = (await newClientAccount(org)).id;
          const inspection = await submitted();
          await cascade();
          return inspection;
        },
        work: () => finish(),
        act: async (inspection) => {
          acted = await act(inspection);
        },
        check: async (inspection) => {
          await finish();
          expect((await read(inspection)).status).toBe(404);
          expect(await rowsBelow(inspection)).toEqual([]);
          expect(acted.body.status).not.toBe('completed');
        },
      });
    }
    client_account_id = (await newClientAccount(org)).id;
    const started = await startedInspection(org, { client_account_id });
    await cascade();
    const moved = await org.try.inspections.update({
      ...of(started),
      body: { client_account_id: other },
    });
    expect([moved.status, moved.body.detail]).toEqual([409, errors.ownerDeleted().detail]);
  });
});

describe('the number of inspections that are kept', () => {
  const value = { typed: 'Ann Lee', signed_name: 'Ann Lee', signed_at: '2026-01-01T00:00:00Z' };
  const SIGNED = { content: contentWith(field(2, 'signature'), field(3, 'signature')) };
  const acts: Record<string, (inspection: Inspection, other: string) => Promise<Answer>> = {
    'signs it as well': ({ id }) =>
      org.try.answers.replace({
        params: { inspection_id: id },
        body: { section_id: uuid(1), field_id: uuid(3), value },
      }),
    'completes it': (inspection) => org.try.inspections.advance({ ...of(inspection) }),
    'moves it to another client account': (inspection, other) =>
      org.try.inspections.update({ ...of(inspection), body: { client_account_id: other } }),
  };

  test.each(Object.keys(acts))('is right when somebody %s while a signature is saved', async (act) => {
    const other = (await newClientAccount(org)).id;
    const family = await publishedFamily(org.key, SIGNED);
    const numbers = async () => {
      const [here, there] = [client_account_id, other].map((id) => usageOf(org.caller, 'CLIENT', id));
      return [(await here!).kept, (await there!).kept];
    };
    await between({
      prepare: async () => ({
        inspection: await startedInspection(org, { client_account_id, template_family_id: family.id }),
        before: await numbers(),
      }),
      work: async ({ inspection }) => {
        const answers = { section_id: uuid(1), field_id: uuid(2), value };
        await org.try.answers.replace({ ...of(inspection), body: answers });
      },
      act: ({ inspection }) => acts[act]!(inspection, other),
      check: async ({ inspection, before }) => {
        const isThere = (await read(inspection)).body.client_account_id === other;
        expect(await numbers()).toEqual([before[0]! + Number(!isThere), before[1]! + Number(isThere)]);
      },
    });
    expect(await checkOrganization(org.caller, { repair: false })).toMatchObject({ found: 0 });
  });
});

describe('POST /app/client-accounts/{ca_id}/erase', () => {
  test('200, and everything is deleted, with the numbers and the person in the audit log', async () => {
    const inspections = [
      await completed(),
      await approved(),
      await newInspection(org, { client_account_id }),
    ];
    const ada = await signIn(org);
    const { status } = await as(ada).try.clientAccounts.erase({ params: params() });
    expect(status).toBe(200);
    await finish();
    for (const each of inspections) {
      expect((await read(each)).status).toBe(404);
      expect(await rowsBelow(each)).toEqual([]);
    }
    expect((await auditOf(org)).at(-1)).toMatchObject({
      action: 'client_account.erased',
      target_id: client_account_id,
      actor_id: ada.userId,
      actor_kind: 'person',
      changes: { inspections: { from: 3, to: 0 }, kept: { from: 2, to: 0 } },
    });
    expect(await usageOf(org.caller, 'CLIENT', client_account_id)).toMatchObject({ inspections: 0, kept: 0 });
  });

  test('403 for an approver, and nothing happens', async () => {
    const { status } = await as(await signIn(org, 'approver')).try.clientAccounts.erase({ params: params() });
    expect(status).toBe(403);
    expect((await org.try.clientAccounts.get({ params: params() })).status).toBe(200);
  });

  test('a worker that is killed after any command is completed by the next one', async () => {
    for (let commands = 0; ; commands += 3) {
      client_account_id = (await newClientAccount(org)).id;
      const inspection = await completed();
      expect((await erase()).status).toBe(200);
      const { fault, isReached } = killAfter(commands, commands % 2 === 0);
      await withFault(fault, () => finish()).catch(() => {});
      await finish();
      expect((await read(inspection)).status).toBe(404);
      expect(await rowsBelow(inspection)).toEqual([]);
      if (!isReached()) break;
    }
    expect(await checkOrganization(org.caller, { repair: false })).toMatchObject({ found: 0 });
  });
});
