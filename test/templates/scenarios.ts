import { newInspection } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { contentWith, field } from '../support/content.ts';
import type { Person } from '../support/people.ts';
import type { Scenarios } from '../support/scenarios.ts';
import { sampleForm } from '../xlsform/sample-forms.ts';
import {
  CONTENT,
  draftedFamily,
  familyOfVersions,
  listedContent,
  newLayout,
  newList,
  newPicture,
  nextDraft,
  publish,
  publishedFamily,
} from './fixtures.ts';

const family = ({ id }: { id: string }) => ({ params: { family_id: id } });
const draft = async ({ key }: Person) => ({
  params: { template_id: (await draftedFamily(key)).draft_version_id! },
});
const published = async ({ key }: Person) => ({
  params: { template_id: (await publishedFamily(key)).template_id },
});

/** The draft after a published version. It refers to a member of the organization. */
const secondDraft = async ({ key, adminId }: Person) => {
  const guided = {
    start: { fields: [{ key: 'guide', type: 'member', label: 'Guide', default_value: adminId }] },
  };
  const { id, draft_version_id } = await draftedFamily(key, { content: { ...CONTENT, ...guided } });
  await publish(key, draft_version_id!);
  const template = await as(key).versions.openDraft({ params: { family_id: id } });
  return { params: { template_id: template.id as string } };
};

/** A draft whose options come from a source. */
const listedDraft = async (person: Person) => {
  const content = listedContent(await newList(person, 'Bay 1', 'Bay 2'));
  return { params: { template_id: (await draftedFamily(person.key, { content })).draft_version_id! } };
};

/** A layout of a new family; its logo is a new document if `withLogo` is set. */
const layout = async (
  { key }: Person,
  { withLogo = false, ...body }: { withLogo?: boolean; is_default?: boolean } = {},
) => {
  const { id: family_id } = await draftedFamily(key);
  const theme = { logo: withLogo ? await newPicture(key) : null };
  const { id: layout_id } = await newLayout(key, family_id, { ...body, theme });
  return { params: { family_id, layout_id } };
};

/** A published family with a default layout that has a logo. */
const withDefaultLayout = async ({ key }: Person) => {
  const published = await publishedFamily(key);
  await newLayout(key, published.id, { is_default: true, theme: { logo: await newPicture(key) } });
  return family(published);
};

const settingsWithMembers = ({ adminId }: Person) => ({
  requires_approval: true,
  settings: { approval: { approver_ids: [adminId] }, notifications: { on_finding: { user_ids: [adminId] } } },
});

export const scenarios: Scenarios = {
  createFamily: [
    () => ({ body: { name: 'Crane' } }),
    (person) => ({
      body: { name: 'Crane', content: CONTENT, tags: ['Lifting'], ...settingsWithMembers(person) },
    }),
  ],
  getFamily: [async (person) => family(await draftedFamily(person.key))],
  updateFamily: [
    async (person) => ({
      ...family(await draftedFamily(person.key)),
      body: { name: 'Hoist', description: ' ' },
    }),
    async (person) => ({ ...family(await draftedFamily(person.key)), body: settingsWithMembers(person) }),
    async (person) => {
      const { family_id, layout_id } = (await layout(person)).params;
      return { params: { family_id }, body: { settings: { default_layout_id: layout_id } } };
    },
  ],
  replaceFamilyTags: [
    async ({ key }) => ({ ...family(await draftedFamily(key)), body: { tags: ['Lifting', 'Daily'] } }),
  ],
  archiveFamily: [async ({ key }) => family(await publishedFamily(key))],
  restoreFamily: [
    async ({ key }) => {
      const { id } = await publishedFamily(key);
      return family(await as(key).families.archive({ params: { family_id: id } }));
    },
  ],
  duplicateFamily: [async ({ key }) => family(await draftedFamily(key)), withDefaultLayout],
  deleteFamily: [
    async ({ key }) => family(await draftedFamily(key)),
    withDefaultLayout,
    async ({ key }) => family(await familyOfVersions(key, 11)),
  ],
  previewFamilyReportPayload: [
    async ({ key }) => family(await draftedFamily(key)),
    async (person) => {
      const { family_id, layout_id } = (await layout(person)).params;
      return { params: { family_id }, body: { layout_id } };
    },
  ],
  previewFamilyReport: [
    async (person) => ({ ...(await withDefaultLayout(person)), query: { format: 'html' } }),
    async ({ key }) => ({ ...family(await draftedFamily(key)), body: { layout: { cover: false } } }),
  ],
  listReportLayouts: [
    async (person) => ({ params: { family_id: (await layout(person)).params.family_id } }),
    async (person) => ({ ...(await withDefaultLayout(person)), query: { limit: 1 } }),
  ],
  createReportLayout: [
    async ({ key }) => ({ ...family(await draftedFamily(key)), body: { name: 'Client' } }),
    async (person) => ({
      ...(await withDefaultLayout(person)),
      body: { name: 'Office', is_default: true, theme: { logo: await newPicture(person.key) } },
    }),
  ],
  getReportLayout: [(person) => layout(person)],
  updateReportLayout: [
    async (person) => ({ ...(await layout(person)), body: { name: 'Office', cover: false } }),
    async (person) => ({
      ...(await layout(person, { withLogo: true })),
      body: { is_default: true, theme: { logo: await newPicture(person.key) } },
    }),
  ],
  deleteReportLayout: [
    (person) => layout(person),
    (person) => layout(person, { withLogo: true, is_default: true }),
  ],
  listFamilies: [
    async ({ key }) => {
      await publishedFamily(key, { tags: ['Lifting'] });
      return {};
    },
    () => ({ query: { initiable: true, tag: ['lifting', 'other'], limit: 1 } }),
    () => ({ query: { q: 'crane' } }),
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
  getTemplate: [
    draft,
    async (person) => {
      const content = listedContent(await newList(person, 'Bay 1'));
      return { params: { template_id: (await publishedFamily(person.key, { content })).template_id } };
    },
  ],
  getTemplateSnapshot: [published],
  updateTemplate: [async (person) => ({ ...(await draft(person)), body: { change_note: 'Rails' } })],
  updateTemplateContent: [
    async (person) => ({ ...(await draft(person)), body: { content: contentWith(field(5)) } }),
    async (person) => ({
      ...(await draft(person)),
      body: { operations: [{ op: 'replace', path: '/sections/0/title', value: 'Rails' }] },
    }),
  ],
  publishTemplate: [draft, secondDraft, listedDraft],
  importXlsform: [
    () => ({ form: sampleForm('specify_other.xlsx', { name: 'Visitors' }) }),
    async ({ key }) => ({
      body: {
        family_id: (await publishedFamily(key)).id,
        survey: [{ type: 'text', name: 'rail', label: 'Rail' }],
      },
    }),
    () => ({ query: { dry_run: true }, body: { content: CONTENT } }),
  ],
  exportXlsform: [draft, published],
  getPublishImpact: [
    draft,
    listedDraft,
    async (person) => {
      const { template_family_id } = await newInspection(person);
      return { params: { template_id: (await nextDraft(person.key, template_family_id)).id } };
    },
  ],
};
