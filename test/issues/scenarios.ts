import { newDocument } from '../answers/fixtures.ts';
import { newAsset } from '../assets/scenarios.ts';
import { newClient, newInspection, newLocation } from '../inspections/fixtures.ts';
import { uuid } from '../support/content.ts';
import type { Person } from '../support/people.ts';
import type { Scenarios } from '../support/scenarios.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { inspectionFor, issueIn, newCategory, newIssue, newLink, QUESTIONS } from './fixtures.ts';

const of = ({ id }: { id: string }) => ({ params: { issue_id: id } });

const ofCategory = ({ id }: { id: string }) => ({ params: { category_id: id } });

const ofLink = async (person: Person) => {
  const { id, category_id } = await newLink(person);
  return { params: { category_id, public_link_id: id } };
};

/** Every field of a new issue. */
const everything = async (person: Person): Promise<object> => {
  const category = await newCategory(person, {
    questions: QUESTIONS,
    sla_hours: 8,
    default_priority: 'high',
    default_assignee_id: person.adminId,
  });
  const { id: location_id } = await newLocation(person, (await newClient(person)).id);
  return {
    category_id: category.id,
    location_id,
    description: 'Near the stairs',
    answers: [
      { question_id: uuid(1), value: 'Ground floor' },
      { question_id: uuid(8), value: [{ document_id: await newDocument(person) }] },
    ],
    media: [{ document_id: await newDocument(person), caption: 'From above' }],
    reporter: { name: 'Ada', email: 'ada@example.com' },
    occurred_at: '2026-01-01T09:00:00+01:00',
    external_ref: 'erp-1',
  };
};

let refs = 0;

export const scenarios: Scenarios = {
  createIssueCategory: [
    () => ({ body: { name: `Trap ${(refs += 1)}` } }),
    (person) => ({
      body: {
        name: `Spill ${(refs += 1)}`,
        description: 'Something has run out',
        color: '#0a7d3c',
        questions: QUESTIONS,
        default_assignee_id: person.adminId,
        default_priority: 'high',
        sla_hours: 24,
        translations: [{ language: 'de', name: 'Auslauf', questions: [{ id: uuid(1), label: 'Wo genau?' }] }],
      },
    }),
  ],
  listIssueCategories: [
    async (person) => {
      await newCategory(person);
      return { query: { is_active: true, limit: 1 } };
    },
  ],
  getIssueCategory: [async (person) => ofCategory(await newCategory(person))],
  updateIssueCategory: [
    async (person) => ({ ...ofCategory(await newCategory(person)), body: { name: `Leak ${(refs += 1)}` } }),
    async (person) => ({
      ...ofCategory(await newCategory(person)),
      body: { default_assignee_id: person.adminId, questions: QUESTIONS },
    }),
  ],
  deleteIssueCategory: [async (person) => ofCategory(await newCategory(person))],
  createPublicLink: [
    async (person) => ({ ...ofCategory(await newCategory(person)), body: {} }),
    async (person) => ({
      ...ofCategory(await newCategory(person)),
      body: {
        label: 'Stairs',
        asset_id: (await newAsset(person)).id,
        location_id: (await newLocation(person)).id,
        contact: 'required',
        expires_at: null,
        max_submissions: 100,
      },
    }),
  ],
  listPublicLinks: [
    async (person) => {
      const { category_id } = await newLink(person);
      return { params: { category_id }, query: { status: ['active', 'paused'], limit: 1 } };
    },
  ],
  getPublicLinkCard: [
    async (person) => {
      const { id, category_id, token } = await newLink(person);
      return { params: { category_id, public_link_id: id }, query: { token } };
    },
  ],
  getPublicLinkSheet: [
    async (person) => {
      const { id, category_id, token } = await newLink(person);
      return { params: { category_id }, query: { link: [`${id}:${token}`] } };
    },
  ],
  getPublicLink: [ofLink],
  updatePublicLink: [
    async (person) => ({ ...(await ofLink(person)), body: { is_paused: true, label: 'Hall' } }),
  ],
  revokePublicLink: [ofLink],
  createIssue: [
    async (person) => ({ body: { title: 'Noise', asset_id: (await newAsset(person)).id } }),
    () => ({ body: { title: 'Wet floor' } }),
    () => ({ body: { title: 'Wet floor', tags: ['water'], metadata: { tower: '1' } } }),
    async (person) => ({ body: { title: 'Wet floor', ...(await everything(person)) } }),
    async (person) => ({
      body: {
        title: 'Wet floor',
        inspection_id: (await newInspection(person)).id,
        assignee_id: person.adminId,
      },
    }),
  ],
  getIssue: [
    async (person) => of(await newIssue(person)),
    async (person) => of(await issueIn(person, 'resolved')),
  ],
  listIssues: [
    async (person) => {
      const { id: asset_id } = await newAsset(person);
      await newIssue(person, { asset_id });
      return { query: { asset_id, limit: 10 } };
    },
    async (person) => {
      await newIssue(person);
      return {};
    },
    async (person) => {
      await newIssue(person);
      return { query: { q: 'flo', limit: 1 } };
    },
    async (person) => {
      const external_ref = `erp-2-${(refs += 1)}`;
      await newIssue(person, { external_ref });
      return { query: { external_ref } };
    },
    async (person) => {
      await newIssue(person, { tags: ['water'], metadata: { tower: '1' } });
      return { query: { tag: ['water'], 'metadata.tower': '1', limit: 10 } };
    },
    async (person) => {
      await issueIn(person, 'triaged');
      return { query: { status: ['triaged', 'resolved'], limit: 1 } };
    },
  ],
  updateIssue: [
    async (person) => ({
      ...of(await newIssue(person)),
      body: { asset_id: (await newAsset(person)).id },
    }),
    async (person) => ({
      ...of(await newIssue(person, { tags: ['water'], metadata: { tower: '1' } })),
      body: { tags: ['leak'], metadata: { tower: null, floor: '3' } },
    }),
    async (person) => ({
      ...of(await newIssue(person)),
      body: { status: 'triaged', note: 'Seen', priority: 'low' },
    }),
    async (person) => ({
      ...of(await newIssue(person, { assignee_id: person.adminId, due_at: '2030-01-01T00:00:00Z' })),
      body: {
        ...(await everything(person)),
        external_ref: `erp-3-${(refs += 1)}`,
        assignee_id: null,
        due_at: null,
      },
    }),
    async (person) => ({
      ...of(await newIssue(person)),
      body: { status: 'duplicate', duplicate_of_id: (await newIssue(person)).id },
    }),
    async (person) => {
      const category = await newCategory(person, { questions: [QUESTIONS[1]] });
      const issue = await newIssue(person, { category_id: category.id });
      return { ...of(issue), body: { answers: [{ question_id: uuid(2), value: 'A pipe burst' }] } };
    },
  ],
  listIssueActivity: [async (person) => ({ ...of(await issueIn(person, 'triaged')), query: { limit: 1 } })],
  commentOnIssue: [
    async (person) => ({ ...of(await newIssue(person)), body: { note: 'Plumber is called' } }),
  ],
  createIssueInspection: [
    async (person) => ({
      ...of(await newIssue(person, { asset_id: (await newAsset(person)).id })),
      body: { template_family_id: (await publishedFamily(person.key)).id },
    }),
    async (person) => ({
      ...of(await newIssue(person)),
      body: { template_family_id: (await publishedFamily(person.key)).id },
    }),
    async (person) => ({
      ...of(await newIssue(person, { location_id: (await newLocation(person)).id })),
      body: {
        template_family_id: (await publishedFamily(person.key)).id,
        participants: [{ user_id: person.adminId, section_ids: [uuid(1)] }],
        due_at: '2030-01-01T00:00:00Z',
      },
    }),
  ],
  createIssueCorrectiveAction: [
    async (person) => {
      const issue = await newIssue(person);
      await inspectionFor(person, issue);
      return { ...of(issue), body: { title: 'Dry it', assignee_id: person.adminId } };
    },
  ],
};
