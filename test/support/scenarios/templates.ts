import * as openDraft from '../../../functions/templates/open-draft.ts';
import {
  CONTENT,
  contentWith,
  draftedFamily,
  field,
  publish,
  publishedFamily,
} from '../../templates/fixtures.ts';
import { made } from '../call.ts';
import type { Person } from '../people.ts';
import type { Scenarios } from '../scenarios.ts';

const family = ({ id }: { id: string }) => ({ params: { family_id: id } });
const draft = async ({ key }: Person) => ({
  params: { template_id: (await draftedFamily(key)).draft_version_id! },
});
const published = async ({ key }: Person) => ({
  params: { template_id: (await publishedFamily(key)).template_id },
});

/** A draft that follows a published version, and refers to the organization's member. */
const successor = async ({ key, adminId }: Person) => {
  const guided = {
    start: { fields: [{ key: 'guide', type: 'member', label: 'Guide', default_value: adminId }] },
  };
  const { id, draft_version_id } = await draftedFamily(key, { content: { ...CONTENT, ...guided } });
  await publish(key, draft_version_id!);
  const template = await made(openDraft, { as: key, params: { family_id: id } });
  return { params: { template_id: template.id as string } };
};

/** Settings that name members. */
const settled = ({ adminId }: Person) => ({
  requires_approval: true,
  settings: { approval: { approver_ids: [adminId] }, notifications: { on_finding: { user_ids: [adminId] } } },
});

export const scenarios: Scenarios = {
  createFamily: [
    () => ({ body: { name: 'Crane' } }),
    (person) => ({ body: { name: 'Crane', content: CONTENT, tags: ['Lifting'], ...settled(person) } }),
  ],
  updateFamily: [
    async (person) => ({
      ...family(await draftedFamily(person.key)),
      body: { name: 'Hoist', description: ' ' },
    }),
    async (person) => ({ ...family(await draftedFamily(person.key)), body: settled(person) }),
  ],
  listFamilies: [
    async ({ key }) => {
      await publishedFamily(key, { tags: ['Lifting'] });
      return {};
    },
    () => ({ query: { initiable: true, tag: ['lifting', 'other'], limit: 1 } }),
  ],
  listTemplateVersions: [
    async ({ key }) => family(await publishedFamily(key)),
    async ({ key }) => ({ ...family(await publishedFamily(key)), query: { limit: 1 } }),
  ],
  openDraft: [
    async ({ key }) => family(await publishedFamily(key)),
    async ({ key }) => family(await draftedFamily(key)),
  ],
  createTemplate: [
    async ({ key }) => ({
      body: { family_id: (await publishedFamily(key)).id, content: contentWith(field(4)) },
    }),
  ],
  getTemplate: [draft, published],
  getTemplateSnapshot: [published],
  updateTemplate: [async (person) => ({ ...(await draft(person)), body: { change_note: 'Rails' } })],
  updateTemplateContent: [
    async (person) => ({ ...(await draft(person)), body: { content: contentWith(field(5)) } }),
    async (person) => ({
      ...(await draft(person)),
      body: { operations: [{ op: 'replace', path: '/sections/0/title', value: 'Rails' }] },
    }),
  ],
  publishTemplate: [draft, successor],
};
