import * as createCorrectiveAction from '../../functions/corrective-actions/create-corrective-action.ts';
import * as updateCorrectiveAction from '../../functions/corrective-actions/update-corrective-action.ts';
import * as createInspection from '../../functions/inspections/create-inspection.ts';
import * as selfCreateInspection from '../../functions/inspections/self-create-inspection.ts';
import * as updateInspection from '../../functions/inspections/update-inspection.ts';
import * as updateOwnInspection from '../../functions/inspections/update-own-inspection.ts';
import * as createIssueCategory from '../../functions/issues/create-issue-category.ts';
import * as createIssueCorrectiveAction from '../../functions/issues/create-issue-corrective-action.ts';
import * as createIssueInspection from '../../functions/issues/create-issue-inspection.ts';
import * as createIssue from '../../functions/issues/create-issue.ts';
import * as updateIssue from '../../functions/issues/update-issue.ts';
import * as createScheduleOverride from '../../functions/schedules/create-schedule-override.ts';
import * as createSchedule from '../../functions/schedules/create-schedule.ts';
import * as updateSchedule from '../../functions/schedules/update-schedule.ts';
import * as updateFamily from '../../functions/templates/families/update-family.ts';
import * as errors from '../../shared/base/errors.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import * as members from '../../shared/organizations/members/members.ts';
import type { Member, Role } from '../../shared/schemas/member.ts';
import { change } from '../../shared/table/change.ts';
import * as write from '../../shared/table/writes.ts';
import { newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { newColleague, newInspection, suspend } from '../inspections/fixtures.ts';
import { inspectionFor, newIssue } from '../issues/fixtures.ts';
import { DAILY, dateIn, newSchedule } from '../schedules/fixtures.ts';
import { as, type Request } from '../support/call.ts';
import { newPerson, operatorOf, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';

let person: Person;
let familyId: string;
/** Keys that send the requests in turn: together they send more than one may in a minute. */
let senders: string[] = [];
/** User ids, by what keeps the member from working. */
const ids: Record<string, string> = {};

const addPerson = async (role: Role): Promise<string> => {
  const user_id = crypto.randomUUID();
  const fields = { user_id, name: role, email: `${user_id}@example.com`, role };
  await change(person.caller, (work) => ({
    writes: members.memberWrites(work, members.newMember(work, fields)),
    reply: undefined,
  }));
  return user_id;
};

beforeAll(async () => {
  person = await newPerson('Quarry');
  familyId = (await publishedFamily(person.key)).id;
  senders = await Promise.all([1, 2, 3].map(async (n) => (await newColleague(person, `Sender ${n}`)).key));
  const [revoked, expired, readOnly, suspended] = [
    await newColleague(person, 'Revoked'),
    await newColleague(person, 'Expired'),
    await apiKeys.create(operatorOf(person), { name: 'Reading', access: 'read_only', expires: 'never' }),
    await newColleague(person, 'Suspended'),
  ];
  await apiKeys.revoke(operatorOf(person), revoked.id);
  const past = { access: 'read_write', expires_at: new Date(Date.now() - 1).toISOString(), revoked_at: null };
  await change(person.caller, () => ({
    writes: [write.update(members.key(person.caller, expired.user_id), { set: { key: past } })],
    reply: undefined,
  }));
  await suspend(person, suspended.user_id);
  Object.assign(ids, {
    revoked: revoked.user_id,
    expired: expired.user_id,
    readOnly: readOnly.user_id,
    suspended: suspended.user_id,
    approver: await addPerson('approver'),
    inspector: await addPerson('inspector'),
  });
});

const OBSTACLES: Record<string, (field: string) => string> = {
  revoked: (field) => errors.memberUnable(field, 'an API key that was revoked').detail,
  expired: (field) => errors.memberUnable(field, 'an API key that has expired').detail,
  readOnly: (field) => errors.memberUnable(field, 'an API key that may only read').detail,
  suspended: (field) => errors.memberNotActive(field, 'suspended').detail,
};

const NO_INSPECTOR = 'a member with the role approver, who may not carry out inspections';
const NO_APPROVER = 'a member with the role inspector, who may not approve inspections';

/** Requests that give a member something to do, and the field that names the member. */
interface Case {
  endpoint: Parameters<ReturnType<typeof as>['call']>[0];
  field: string;
  request: (userId: string) => Promise<Omit<Request, 'as'>>;
  /** The request is about something of the person’s own. */
  isOwn?: true;
}

let sent = 0;

const sender = (): Person => ({ ...person, key: senders[(sent += 1) % senders.length]! });

const finding = async () =>
  newFinding(sender(), {}, await newInspection(sender(), { template_family_id: familyId }));

const inspectionParams = async () => ({
  inspection_id: (await newInspection(sender(), { template_family_id: familyId })).id,
});

const INSPECTING: Record<string, Case> = {
  'POST /inspections': {
    endpoint: createInspection,
    field: 'participants.0.user_id',
    request: async (user_id) => ({
      body: { template_family_id: familyId, participants: [{ user_id }] },
    }),
  },
  'PATCH /inspections/{inspection_id}': {
    endpoint: updateInspection,
    field: 'participants.1.user_id',
    request: async (user_id) => ({
      params: await inspectionParams(),
      body: { participants: [{ user_id: ids['inspector']! }, { user_id, role: 'lead' }] },
    }),
  },
  'POST /issues/{issue_id}/inspections': {
    endpoint: createIssueInspection,
    field: 'participants.0.user_id',
    request: async (user_id) => ({
      params: { issue_id: (await newIssue(sender())).id },
      body: { template_family_id: familyId, participants: [{ user_id }] },
    }),
  },
  'POST /inspection-schedules': {
    endpoint: createSchedule,
    field: 'assignee_ids.0',
    request: async (userId) => ({
      body: {
        title: 'Round',
        recurrence: DAILY,
        template_family_id: familyId,
        assignee_ids: [userId],
      },
    }),
  },
  'PATCH /inspection-schedules/{schedule_id}': {
    endpoint: updateSchedule,
    field: 'assignee_ids.0',
    request: async (userId) => ({
      params: { schedule_id: (await newSchedule(sender(), { template_family_id: familyId })).id },
      body: { assignee_ids: [userId] },
    }),
  },
  'POST /inspection-schedules/{schedule_id}/overrides': {
    endpoint: createScheduleOverride,
    field: 'assignee_ids.0',
    request: async (userId) => ({
      params: { schedule_id: (await newSchedule(sender(), { template_family_id: familyId })).id },
      body: { occurrence_date: dateIn(5), action: 'reassign', assignee_ids: [userId] },
    }),
  },
  'POST /findings/{finding_id}/corrective-actions': {
    endpoint: createCorrectiveAction,
    field: 'assignee_id',
    request: async (assignee_id) => ({
      params: { finding_id: (await finding()).id },
      body: { title: 'Repair', assignee_id },
    }),
  },
  'PATCH /corrective-actions/{ca_id}': {
    endpoint: updateCorrectiveAction,
    field: 'assignee_id',
    request: async (assignee_id) => ({
      params: { ca_id: (await newAction(sender(), {}, await finding())).id },
      body: { assignee_id },
    }),
  },
  'POST /issues/{issue_id}/corrective-actions': {
    endpoint: createIssueCorrectiveAction,
    field: 'assignee_id',
    request: async (assignee_id) => {
      const issue = await newIssue(sender());
      await inspectionFor(sender(), issue, { template_family_id: familyId });
      return { params: { issue_id: issue.id }, body: { title: 'Repair', assignee_id } };
    },
  },
  'POST /issues': {
    endpoint: createIssue,
    field: 'assignee_id',
    request: async (assignee_id) => ({ body: { title: 'Leak', assignee_id } }),
  },
  'PATCH /issues/{issue_id}': {
    endpoint: updateIssue,
    field: 'assignee_id',
    request: async (assignee_id) => ({
      params: { issue_id: (await newIssue(sender())).id },
      body: { assignee_id },
    }),
  },
  'POST /issue-categories': {
    endpoint: createIssueCategory,
    field: 'default_assignee_id',
    request: async (default_assignee_id) => ({ body: { name: crypto.randomUUID(), default_assignee_id } }),
  },
};

const ownInspection = async () => person.inspections.selfCreate({ body: { template_family_id: familyId } });

const APPROVING: Record<string, Case> = {
  'POST /inspections': {
    endpoint: createInspection,
    field: 'approver_id',
    request: async (approver_id) => ({ body: { template_family_id: familyId, approver_id } }),
  },
  'POST /inspections with a participant who approves': {
    endpoint: createInspection,
    field: 'participants.0.user_id',
    request: async (user_id) => ({
      body: { template_family_id: familyId, participants: [{ user_id, role: 'approver' }] },
    }),
  },
  'PATCH /inspections/{inspection_id}': {
    endpoint: updateInspection,
    field: 'approver_id',
    request: async (approver_id) => ({ params: await inspectionParams(), body: { approver_id } }),
  },
  'POST /inspections/self-create': {
    endpoint: selfCreateInspection,
    field: 'approver_id',
    request: async (approver_id) => ({ body: { template_family_id: familyId, approver_id } }),
  },
  'PATCH /inspections/{inspection_id}/self': {
    endpoint: updateOwnInspection,
    field: 'approver_id',
    isOwn: true,
    request: async (approver_id) => ({
      params: { inspection_id: (await ownInspection()).id },
      body: { approver_id },
    }),
  },
  'POST /inspection-schedules': {
    endpoint: createSchedule,
    field: 'approver_id',
    request: async (approver_id) => ({
      body: { title: 'Round', recurrence: DAILY, template_family_id: familyId, approver_id },
    }),
  },
  'PATCH /templates/families/{family_id}': {
    endpoint: updateFamily,
    field: 'settings.approval.approver_ids',
    request: async (userId) => ({
      params: { family_id: familyId },
      body: { settings: { approval: { approver_ids: [userId] } } },
    }),
  },
};

const refusal = async ({ endpoint, request, isOwn }: Case, userId: string): Promise<unknown> => {
  const { status, body } = await as(isOwn ? person : sender()).call(endpoint, await request(userId));
  return [status, body?.detail];
};

describe('who is given work', () => {
  test.each(Object.entries(INSPECTING))('400 in %s for a member who cannot do it', async (_, one) => {
    for (const [obstacle, detail] of Object.entries(OBSTACLES)) {
      expect(await refusal(one, ids[obstacle]!)).toEqual([400, detail(one.field)]);
    }
    const other = errors.memberUnable(one.field, NO_INSPECTOR).detail;
    expect(await refusal(one, ids['approver']!)).toEqual([400, other]);
    expect((await refusal(one, ids['inspector']!)) as number[]).not.toContain(400);
  });

  test.each(Object.entries(APPROVING))('400 in %s for an approver who cannot approve', async (_, one) => {
    for (const [obstacle, detail] of Object.entries(OBSTACLES)) {
      expect(await refusal(one, ids[obstacle]!)).toEqual([400, detail(one.field)]);
    }
    const other = errors.memberUnable(one.field, NO_APPROVER).detail;
    expect(await refusal(one, ids['inspector']!)).toEqual([400, other]);
    expect((await refusal(one, ids['approver']!)) as number[]).not.toContain(400);
  });

  test('400 for a key as the approver where the family does not let keys decide; 201 where it does', async () => {
    const { user_id } = await newColleague(person, 'Deciding');
    const post = (family: object) =>
      publishedFamily(person.key, { ...family, requires_approval: true }).then(({ id }) =>
        person.try.inspections.create({ body: { template_family_id: id, approver_id: user_id } }),
      );
    const refused = await post({});
    const reason = 'an API key, and the template family does not let keys decide';
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      errors.memberUnable('approver_id', reason).detail,
    ]);
    expect((await post({ settings: { approval: { allow_api: true } } })).status).toBe(201);
  });

  test('201 for a signatory of any role, and 400 for one whose key was revoked', async () => {
    const post = async (user_id: string) => {
      const participants = [{ user_id, role: 'signatory' }];
      const body = { template_family_id: familyId, participants };
      return (await person.try.inspections.create({ body })).status;
    };
    expect([await post(ids['approver']!), await post(ids['inspector']!)]).toEqual([201, 201]);
    expect(await post(ids['revoked']!)).toBe(400);
  });
});

describe('an approver takes no part', () => {
  const admin = () => ({ user_id: person.adminId });
  const taking = (field: string) => errors.approverTakesPart(field).detail;

  test('400 for an approver who is a participant with a part, however the two come together', async () => {
    const template_family_id = familyId;
    const approver_id = person.adminId;
    const created = await person.try.inspections.create({
      body: { template_family_id, approver_id, participants: [admin()] },
    });
    expect([created.status, created.body.detail]).toEqual([400, taking('approver_id')]);
    const patch = async (before: object, body: object) => {
      const { id } = await newInspection(person, { template_family_id, ...before });
      const reply = await person.try.inspections.update({ params: { inspection_id: id }, body });
      return [reply.status, reply.body.detail];
    };
    expect(await patch({ participants: [admin()] }, { approver_id })).toEqual([400, taking('approver_id')]);
    expect(await patch({ approver_id }, { participants: [admin()] })).toEqual([
      400,
      taking('participants.0.user_id'),
    ]);
    expect((await patch({ approver_id }, { participants: [{ ...admin(), role: 'signatory' }] }))[0]).toBe(
      200,
    );
  });

  test('400 for the caller as the approver of their own inspection', async () => {
    const { id } = await publishedFamily(person.key, { settings: { approval: { allow_api: true } } });
    const body = { template_family_id: id, approver_id: person.caller.user_id };
    const { status, body: reply } = await person.try.inspections.selfCreate({ body });
    expect([status, reply.detail]).toEqual([400, taking('approver_id')]);
  });

  test('400 for an assignee of a schedule who is its approver, and of an override', async () => {
    const schedule = await newSchedule(person, { approver_id: person.adminId });
    const params = { schedule_id: schedule.id };
    const assignee_ids = [person.adminId];
    for (const reply of [
      await person.try.schedules.update({ params, body: { assignee_ids } }),
      await person.try.schedules.createOverride({
        params,
        body: { occurrence_date: dateIn(5), action: 'reassign', assignee_ids },
      }),
    ]) {
      expect([reply.status, reply.body.detail]).toEqual([400, taking('assignee_ids.0')]);
    }
  });
});

describe('GET /members/assignable', () => {
  test('200 without members who cannot carry out inspections, and without a key from its revocation on', async () => {
    const listed = async (): Promise<string[]> => {
      const rows: Member[] = await person.members.listAssignable();
      return rows.map(({ user_id }) => user_id);
    };
    const before = await listed();
    for (const [what, id] of Object.entries(ids))
      expect([what, before.includes(id)]).toEqual([what, what === 'inspector']);
    const key = await newColleague(person, 'Leaving');
    expect(await listed()).toContain(key.user_id);
    await apiKeys.revoke(operatorOf(person), key.id);
    expect(await listed()).not.toContain(key.user_id);
  });
});
