import * as createDocument from '../../functions/documents/create-document.ts';
import * as createFamily from '../../functions/templates/create-family.ts';
import * as openDraft from '../../functions/templates/open-draft.ts';
import * as publishTemplate from '../../functions/templates/publish-template.ts';
import * as createReportLayout from '../../functions/templates/report-layouts/create-report-layout.ts';
import type { Family } from '../../shared/schemas/templates/family.ts';
import type { ReportLayout } from '../../shared/schemas/templates/report-layout.ts';
import type { Template } from '../../shared/schemas/templates/template.ts';
import { type Answer, made } from '../support/call.ts';
import { uuid } from '../support/uuid.ts';

export { uuid };

export const field = (n: number, more: object = {}) => ({
  id: uuid(n),
  type: 'text',
  label: `Field ${n}`,
  ...more,
});

export const contentWith = (...fields: object[]) => ({
  sections: [{ id: uuid(1), title: 'Guard rails', fields }],
});

/** A content that can be published: two fields to answer, one of them required. */
export const CONTENT = contentWith(field(2, { required: true }), field(3));

/** A family with its first draft. */
export const draftedFamily = (key: string, body: object = {}): Promise<Family> =>
  made(createFamily, { as: key, body: { name: 'Crane', content: CONTENT, ...body } });

export const publish = (key: string, templateId: string) =>
  made(publishTemplate, { as: key, params: { template_id: templateId } });

/** A family whose version 1 is published; as it was before that. */
export const publishedFamily = async (
  key: string,
  body: object = {},
): Promise<Family & { template_id: string }> => {
  const family = await draftedFamily(key, body);
  await publish(key, family.draft_version_id!);
  return { ...family, template_id: family.draft_version_id! };
};

/** The draft after what is published. */
export const nextDraft = (key: string, familyId: string): Promise<Template> =>
  made(openDraft, { as: key, params: { family_id: familyId } });

/** A family with so many published versions. */
export const familyOfVersions = async (key: string, count: number): Promise<Family> => {
  const family = await publishedFamily(key);
  for (let version = 2; version <= count; version += 1) {
    await publish(key, (await nextDraft(key, family.id)).id);
  }
  return family;
};

export const newLayout = (key: string, familyId: string, body: object = {}): Promise<ReportLayout> =>
  made(createReportLayout, { as: key, params: { family_id: familyId }, body: { name: 'Client', ...body } });

/** Four grey pixels. */
const PIXELS = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADklEQVQImWPoAAMGCAUALK4GYSSeFPoAAAAASUVORK5CYII=',
  'base64',
);

/** A document that is a picture. */
export const newPicture = async (key: string): Promise<string> => {
  const form = new FormData();
  form.set('title', 'Logo');
  form.set('file', new File([PIXELS], 'logo.png'));
  const { id } = await made(createDocument, { as: key, form });
  return id;
};

/** Where the problems of a 422 lie. */
export const locs = ({ body }: Answer): string[] =>
  body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'));

/** How many answers have each status. */
export const tally = (answers: Answer[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
