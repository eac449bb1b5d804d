import { randomUUID } from 'node:crypto';
import { newDocument } from '../documents/scenarios.ts';
import { countChanges } from '../numbers/fixtures.ts';
import { uuid } from '../support/content.ts';
import type { Person } from '../support/people.ts';
import { inBatch, type Scenarios } from '../support/scenarios.ts';
import { attach, completedAction, moveThrough, newAction, newFinding } from './fixtures.ts';

const of = ({ id }: { id: string }) => ({ params: { ca_id: id } });

const one = async (person: Person, body: object = {}) => of(await newAction(person, body));

/** The contact of an action. */
const CONTACT = { name: 'Cara Cool', email: 'cara@cool.example', company: 'Cool Ltd', phone: '+30 210' };

const attached = async (person: Person, stage: string) => {
  const action = await newAction(person);
  const { body } = await attach(person, action, (await newDocument(person)).id, { stage, caption: 'Torque' });
  return { params: { ca_id: action.id, attachment_id: body.id } };
};

const creatingCorrectiveAction: Scenarios[string] = [
  async (person) => ({
    params: { finding_id: (await newFinding(person)).id },
    body: { title: 'Tighten it' },
  }),
  async (person) => ({
    params: { finding_id: (await newFinding(person)).id },
    body: {
      title: 'Tighten it',
      description: 'To 40 Nm',
      priority: 'critical',
      assignee_id: person.adminId,
      due_at: '2031-01-01T09:00:00+01:00',
      evidence_required: true,
      external_ref: 'cmms-1',
      contact: CONTACT,
      escalation: [
        { after: 'P3D', to: person.adminId },
        { after: 'P5D', to: 'place:manager' },
      ],
    },
  }),
  async (person) => ({
    params: { finding_id: (await newFinding(person, { field_id: uuid(2) })).id },
    body: { title: 'Wipe it', completed_on_site: true, completion_note: 'Wiped' },
  }),
  async (person) => ({
    params: { finding_id: (await newFinding(person)).id },
    body: {
      title: 'Wipe it',
      completed_on_site: true,
      evidence: [{ document_id: (await newDocument(person)).id, caption: 'Clean' }],
    },
  }),
];

export const scenarios: Scenarios = {
  createCorrectiveAction: creatingCorrectiveAction,
  createCorrectiveActionBatch: inBatch(creatingCorrectiveAction, ({ params, body }) => ({
    ...(body as object),
    ...params,
  })),
  sendContactLink: [(person) => one(person, { contact: CONTACT })],
  getCorrectiveAction: [(person) => one(person)],
  updateCorrectiveAction: [
    async (person) => ({
      ...(await one(person, { assignee_id: person.caller.user_id, external_ref: 'cmms-1' })),
      body: {
        assignee_id: person.adminId,
        external_ref: 'cmms-2',
        due_at: null,
        priority: 'low',
        contact: CONTACT,
        escalation: [{ after: 'P3D', to: person.adminId }],
      },
    }),
    async (person) => ({ ...(await one(person)), body: { status: 'in_progress' } }),
    async (person) => ({
      ...of(await moveThrough(person, await newAction(person), 'in_progress')),
      body: { status: 'pending_verification', completion_note: 'Tightened to 40 Nm' },
    }),
    async (person) => ({ ...(await one(person)), body: { completed_on_site: true } }),
  ],
  verifyCorrectiveAction: [
    async (person) => of(await completedAction(person)),
    async (person) => ({ ...of(await completedAction(person)), body: { accepted: false, note: 'Loose' } }),
    async (person) => ({ ...of(await completedAction(person)), body: { resolve_finding: true } }),
  ],
  reopenCorrectiveAction: [
    async (person) => ({ ...of(await completedAction(person)), body: { reason: 'Loose again' } }),
  ],
  listCorrectiveActionActivity: [
    async (person) => of(await completedAction(person)),
    async (person) => ({ ...of(await completedAction(person)), query: { limit: 1 } }),
  ],
  commentOnCorrectiveAction: [
    async (person) => ({ ...(await one(person)), body: { note: 'Parts are ordered' } }),
  ],
  listCorrectiveActionAttachments: [
    async (person) => {
      const { params } = await attached(person, 'after');
      return { params: { ca_id: params.ca_id } };
    },
  ],
  createCorrectiveActionAttachment: [
    async (person) => ({
      ...(await one(person)),
      body: { document_id: (await newDocument(person)).id, caption: 'Torque wrench' },
    }),
    async (person) => ({
      ...(await one(person)),
      body: { document_id: (await newDocument(person)).id, stage: 'before' },
    }),
  ],
  deleteCorrectiveActionAttachment: [
    (person) => attached(person, 'after'),
    (person) => attached(person, 'before'),
  ],
  listMyCorrectiveActions: [
    async (person) => {
      const finding = await newFinding(person);
      const body = { title: 'Tighten it', assignee_id: person.caller.user_id };
      for (let times = 0; times < 2; times += 1) {
        await person.correctiveActions.create({ params: { finding_id: finding.id }, body });
      }
      return {};
    },
    () => ({ query: { status: ['open', 'in_progress'], external_ref: 'cmms-1', limit: 1 } }),
  ],
  listAllCorrectiveActions: [
    async (person) => {
      const { external_ref } = await newAction(person, { external_ref: randomUUID() });
      return { query: { external_ref: external_ref! } };
    },
    async (person) => {
      await newAction(person, { tags: ['roof'], metadata: { cost_center: '4711' } });
      return { query: { 'metadata.cost_center': '4711', tag: ['roof'], limit: 1 } };
    },
    async (person) => {
      await newAction(person, { priority: 'high', assignee_id: person.caller.user_id });
      return {
        query: { status: ['open'], priority: ['high'], assignee_id: [person.caller.user_id], limit: 1 },
      };
    },
    async (person) => {
      await newAction(person);
      return { query: { status: ['open', 'in_progress'], is_overdue: false, severity: ['minor'], limit: 2 } };
    },
  ],
  summarizeCorrectiveActions: [
    async (person) => {
      await newAction(person);
      await countChanges(person);
      return { query: { group_by: ['client_account', 'status', 'priority'], status: ['open'] } };
    },
    () => ({}),
    async (person) => {
      await newAction(person, { assignee_id: person.caller.user_id });
      return { query: { assignee_id: [person.caller.user_id], severity: ['minor'], group_by: ['month'] } };
    },
  ],
  listCorrectiveActions: [
    async (person) => ({ params: { inspection_id: (await newAction(person)).inspection_id } }),
    async (person) => ({
      params: { inspection_id: (await newAction(person)).inspection_id },
      query: { status: ['open'], limit: 1 },
    }),
    async (person) => {
      const { inspection_id } = await newAction(person, { completed_on_site: true });
      return { params: { inspection_id } };
    },
  ],
};
