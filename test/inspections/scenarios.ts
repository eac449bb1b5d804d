import { newDocument } from '../answers/fixtures.ts';
import { HIDING, hideable, hidingInspection, workedInspection } from '../answers/hiding.ts';
import { newAsset } from '../assets/scenarios.ts';
import { certifying, newCertificate } from '../certificates/fixtures.ts';
import { newFinding } from '../corrective-actions/fixtures.ts';
import { countChanges } from '../numbers/fixtures.ts';
import { as } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import type { Person } from '../support/people.ts';
import { inBatch, type Scenarios } from '../support/scenarios.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import {
  advance,
  answer,
  start,
  startedInspection,
  newClient,
  newInspection,
  newLocation,
  NOTHING_REQUIRED,
} from './fixtures.ts';

const OVERDUE = { due_at: '2020-01-01T00:00:00Z' };

const of = ({ id }: { id: string }) => ({ params: { inspection_id: id } });

const one = async (person: Person, body?: object) => of(await newInspection(person, { ...body }));

const archived = async (person: Person, body?: object): Promise<{ params: { inspection_id: string } }> => {
  const request = await one(person, body);
  await person.inspections.archive({ ...request });
  return request;
};

/** Every setting of a new inspection. */
const setup = async (person: Person): Promise<object> => {
  const { id: location_id } = await newLocation(person, (await newClient(person)).id);
  return {
    name: 'Monthly',
    location_id,
    scheduled_for: '2030-01-01T06:00:00+02:00',
    due_at: '2030-01-08T00:00:00Z',
    approver_id: person.adminId,
    participants: [{ user_id: person.caller.user_id, role: 'lead', section_ids: [uuid(1)] }],
    start_answers: { guide: person.adminId },
  };
};

const WITH_GUIDE = {
  content: {
    ...contentWith(field(2)),
    start: { fields: [{ key: 'guide', type: 'member', label: 'Guide' }] },
  },
};

/** An asset at a location. */
const newAssetAt = async (person: Person) =>
  newAsset(person, { location_id: (await newLocation(person)).id });

/** A content in which a start answer decides whether a question is visible. */
const WITH_CONDITION = {
  content: {
    ...contentWith(
      field(2, 'text', { visible_if: { start_key: 'kind', op: 'eq', value: 'full' } }),
      field(3),
    ),
    start: { fields: [{ key: 'kind', type: 'text', label: 'Kind' }] },
  },
};

const ownInspection = async ({ key }: Person, family: object, body: object = {}) =>
  as(key).inspections.selfCreate({
    body: { ...body, template_family_id: (await publishedFamily(key, family)).id },
  });

/** An inspection with a finding, which moves to another location. */
const moving = async (person: Person, inspection: { id: string }) => {
  await newFinding(person, { field_id: uuid(2) }, inspection);
  return { ...of(inspection), body: { location_id: (await newLocation(person)).id } };
};

/** An own inspection whose start answer hides or shows a question with a failed answer. */
const turning = async (person: Person, from: string, to: string) => {
  const inspection = await ownInspection(person, { content: HIDING }, { start_answers: { kind: from } });
  await person.answers.replace({ ...of(inspection), body: hideable });
  return { ...of(inspection), body: { start_answers: { kind: to } } };
};

/** A request that starts an inspection from an earlier one. */
const prefilling = async (person: Person) => {
  const earlier = await startedInspection(person);
  await answer(person, earlier, uuid(2), 'Dent in the door');
  return { template_family_id: earlier.template_family_id, prefill_from_inspection_id: earlier.id };
};

const [ITEM, PHOTO] = [uuid(2), uuid(3)];

/** A completed inspection in which one field has failed, with a finding and an action. */
const failedInspection = async (person: Person, family: object = {}, body: object = {}) => {
  const finding = { create: 'auto', corrective_action: { title: 'Repair it', priority: 'high' } };
  const content = contentWith(field(2, 'pass_fail_na', { finding }), field(3, 'photo'), field(4));
  const first = await startedInspection(person, { family: { ...family, content }, ...body });
  await answer(person, first, ITEM, 'fail');
  await answer(person, first, PHOTO, [{ document_id: await newDocument(person) }]);
  await answer(person, first, uuid(4), 'Dry');
  await person.inspections.advance({ ...of(first) });
  return first;
};

/** A family whose inspections have to be approved, which keys may do, or to be signed by two people. */
const APPROVED = {
  ...NOTHING_REQUIRED,
  requires_approval: true,
  settings: { approval: { allow_api: true, four_eyes: false } },
};
const SIGNED = {
  ...NOTHING_REQUIRED,
  requires_sign_off: true,
  settings: { sign_off: { signatures_required: 2 } },
};

/** A re-inspection that awaits approval, in which has passed what had failed. */
const passedAgain = async (person: Person) => {
  const first = await failedInspection(person, APPROVED);
  await person.inspections.advance({ ...of(first), body: { decision: 'approve' } });
  const again = await person.inspections.createReinspection(of(first));
  await answer(person, again, ITEM, 'pass');
  await start(person.key, again);
  await person.inspections.advance({ ...of(again) });
  return of(again);
};

/** An inspection that was submitted. */
const submitted = async (person: Person, family: object) => {
  const inspection = await startedInspection(person, { family, ...OVERDUE });
  await person.inspections.advance({ ...of(inspection) });
  return of(inspection);
};

const creatingInspection: Scenarios[string] = [
  async (person) => ({
    body: {
      template_family_id: (await publishedFamily(person.key)).id,
      asset_id: (await newAssetAt(person)).id,
    },
  }),
  async (person) => ({
    body: {
      template_family_id: (await publishedFamily(person.key)).id,
      tags: ['lift'],
      metadata: { contract: 'C-7' },
    },
  }),
  async (person) => ({ body: { template_family_id: (await publishedFamily(person.key)).id } }),
  async (person) => ({
    body: {
      template_family_id: (await publishedFamily(person.key, WITH_GUIDE)).id,
      ...(await setup(person)),
    },
  }),
  async (person) => ({ body: { ...(await prefilling(person)), allow_inactive: true } }),
];

/** An inspection that awaits approval, and then issues a certificate. */
const certifyingSubmitted = async (person: Person) => {
  const inspection = await certifying(person, APPROVED);
  await advance(person.key, inspection);
  return of(inspection);
};

export const scenarios: Scenarios = {
  createReinspection: [
    async (person) => of(await failedInspection(person, {}, { asset_id: (await newAssetAt(person)).id })),
    async (person) => of(await failedInspection(person)),
    async (person) => {
      const { user_id } = person.caller;
      const body = {
        scope: 'all',
        template: 'current',
        name: 'Second visit',
        participants: [{ user_id }],
        approver_id: person.adminId,
        due_at: '2030-01-08T00:00:00Z',
      };
      return { ...of(await failedInspection(person)), body };
    },
    async (person) => {
      const first = await failedInspection(person);
      return { ...of(first), body: { also_ask: [ITEM] } };
    },
  ],
  advanceInspection: [
    async (person) => {
      const again = await person.inspections.createReinspection(of(await failedInspection(person)));
      await answer(person, again, ITEM, 'pass');
      await start(person.key, again);
      return of(again);
    },
    (person) => one(person, OVERDUE),
    async (person) => of(await certifying(person)),
    ...[NOTHING_REQUIRED, APPROVED, SIGNED].map(
      (family) => async (person: Person) => of(await startedInspection(person, { family, ...OVERDUE })),
    ),
    async (person) => ({
      ...(await submitted(person, APPROVED)),
      body: { decision: 'request_changes', comment: 'Blurred photos' },
    }),
    async (person) => ({ ...(await submitted(person, APPROVED)), body: { decision: 'approve' } }),
    async (person) => ({
      ...(await submitted(person, APPROVED)),
      body: { decision: 'reject', comment: 'No' },
    }),
    async (person) => ({
      ...(await submitted(person, SIGNED)),
      body: { sign_off: { signed_name: 'Ann Lee' } },
    }),
  ],
  decideInspection: [
    async (person) => ({ ...(await submitted(person, APPROVED)), body: { decision: 'approve' } }),
    async (person) => ({
      ...(await submitted(person, APPROVED)),
      body: { decision: 'request_changes', comment: 'Blurred photos' },
    }),
    async (person) => ({ ...(await submitted(person, APPROVED)), body: { decision: 'reject' } }),
    async (person) => ({
      ...(await submitted(person, { ...APPROVED, requires_sign_off: true })),
      body: { decision: 'approve' },
    }),
    async (person) => ({ ...(await passedAgain(person)), body: { decision: 'approve' } }),
    async (person) => ({ ...(await certifyingSubmitted(person)), body: { decision: 'approve' } }),
  ],
  archiveInspection: [
    (person) => one(person, OVERDUE),
    async (person) => of((await newCertificate(person)).inspection),
  ],
  createInspection: creatingInspection,
  createInspectionBatch: inBatch(creatingInspection),
  deleteInspection: [
    (person) => one(person),
    (person) => one(person, { ...OVERDUE, external_ref: 'erp-1' }),
    async (person) => {
      const { id: issue_id } = await person.issues.create({ body: { title: 'Leak' } });
      const inspection = await person.issues.createInspection({
        params: { issue_id },
        body: { template_family_id: (await publishedFamily(person.key)).id },
      });
      await answer(person, inspection, uuid(2), 'yes');
      await answer(person, inspection, uuid(2), null);
      return of(inspection);
    },
  ],
  duplicateInspection: [
    (person) => one(person),
    async (person) => one(person, { asset_id: (await newAssetAt(person)).id }),
  ],
  getInspection: [
    (person) => one(person),
    async (person) => ({
      ...(await one(person)),
      query: { include: ['responses', 'findings', 'corrective_actions', 'documents', 'sections'] },
    }),
  ],
  listInspectionDocuments: [
    async (person) => {
      const finding = await newFinding(person, {
        content: { media: [{ document_id: await newDocument(person), caption: 'North' }] },
      });
      return { params: { inspection_id: finding.inspection_id }, query: { limit: 1 } };
    },
  ],
  listInspectionActivity: [(person) => one(person)],
  listInspectionBlockers: [
    (person) => one(person),
    async (person) =>
      of(
        await startedInspection(person, {
          family: { content: contentWith(field(2, 'text', { required: true })) },
        }),
      ),
  ],
  getInspectionScore: [(person) => one(person)],
  listInspections: [
    async (person) => {
      const { id: asset_id } = await newAssetAt(person);
      await newInspection(person, { asset_id });
      return { query: { asset_id, limit: 10 } };
    },
    async (person) => {
      await newInspection(person);
      return {};
    },
    async (person) => {
      await newInspection(person, { external_ref: 'erp-2' });
      return { query: { external_ref: 'erp-2', limit: 10 } };
    },
    async (person) => {
      await newInspection(person, { tags: ['lift'], metadata: { contract: 'C-7' } });
      return { query: { tag: ['lift'], 'metadata.contract': 'C-7', limit: 10 } };
    },
    () => ({ query: { status: ['scheduled', 'in_progress', 'completed'], is_overdue: false } }),
    () => ({ query: { approver_id: 'me' } }),
  ],
  restoreInspection: [
    (person) => archived(person, OVERDUE),
    async (person) => archived(person, { asset_id: (await newAssetAt(person)).id }),
    async (person) => {
      const inspection = of((await newCertificate(person)).inspection);
      await person.inspections.archive(inspection);
      return inspection;
    },
  ],
  startInspection: [(person) => one(person)],
  summarizeInspections: [
    () => ({}),
    async (person) => {
      await newInspection(person, { external_ref: 'erp-3' });
      return { query: { external_ref: 'erp-3' } };
    },
    async (person) => {
      const { id: location_id } = await newLocation(person);
      await newInspection(person, { location_id });
      await countChanges(person);
      const group_by = ['branch', 'template_family', 'quarter'];
      return { query: { group_by, within: location_id } };
    },
  ],
  listAssignedInspections: [
    async (person) => {
      await newInspection(person, { participants: [{ user_id: person.caller.user_id }] });
      return {};
    },
  ],
  reopenPart: [
    async (person) => {
      const { user_id } = person.caller;
      const participants = [{ user_id }, { user_id: person.adminId }];
      const inspection = await startedInspection(person, { family: NOTHING_REQUIRED, participants });
      await person.inspections.advance({ ...of(inspection) });
      return of(inspection);
    },
  ],
  selfCreateInspection: [
    async (person) => ({
      body: {
        template_family_id: (await publishedFamily(person.key)).id,
        asset_id: (await newAssetAt(person)).id,
      },
    }),
    async (person) => {
      const { participants: _, ...own } = (await setup(person)) as Record<string, unknown>;
      return { body: { template_family_id: (await publishedFamily(person.key, WITH_GUIDE)).id, ...own } };
    },
    async (person) => ({ body: await prefilling(person) }),
  ],
  updateOwnInspection: [
    async (person) => ({
      ...of(await ownInspection(person, WITH_CONDITION)),
      body: { start_answers: { kind: 'full' } },
    }),
    async (person) => {
      const { participants: _, start_answers: __, ...own } = (await setup(person)) as Record<string, unknown>;
      return {
        ...of(await ownInspection(person, WITH_GUIDE, { due_at: '2020-01-01T00:00:00Z' })),
        body: own,
      };
    },
    async (person) => moving(person, await ownInspection(person, NOTHING_REQUIRED)),
    async (person) => turning(person, 'full', 'short'),
    async (person) => turning(person, 'short', 'full'),
  ],
  updateInspection: [
    async (person) => ({ ...(await one(person)), body: { asset_id: (await newAssetAt(person)).id } }),
    async (person) => ({
      ...(await one(person, { tags: ['lift'], metadata: { contract: 'C-7' } })),
      body: { tags: ['hoist'], metadata: { contract: null, lot: '1' } },
    }),
    async (person) => ({
      ...(await one(person, { family: WITH_CONDITION })),
      body: { start_answers: { kind: 'full' } },
    }),
    async (person) => ({
      ...(await one(person, { family: WITH_GUIDE, ...OVERDUE })),
      body: await setup(person),
    }),
    async (person) => ({
      ...(await one(person, { participants: [{ user_id: person.adminId }] })),
      body: { participants: [] },
    }),
    async (person) => moving(person, await newInspection(person)),
    async (person) => ({ ...of(await hidingInspection(person)), body: { start_answers: { kind: 'short' } } }),
    async (person) => ({ ...of(await workedInspection(person)), body: { start_answers: { kind: 'short' } } }),
    async (person) => ({
      ...of(await hidingInspection(person, [], { start_answers: { kind: 'short' } })),
      body: { start_answers: { kind: 'full' } },
    }),
  ],
};
