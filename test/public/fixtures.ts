import sharp from 'sharp';
import { v7 as uuidv7 } from 'uuid';
import * as createIssueUpload from '../../functions/public/create-issue-upload.ts';
import * as renderReport from '../../functions/workers/render-report.ts';
import * as sendMail from '../../functions/workers/send-mail.ts';
import { drawSignature } from '../../infra/demo/photos.ts';
import { hideId } from '../../shared/domain/hidden-id.ts';
import { newStamp } from '../../shared/domain/issue-form/stamp.ts';
import { documentKey, putObject } from '../../shared/files/objects.ts';
import * as categories from '../../shared/issues/categories.ts';
import * as publicLinks from '../../shared/issues/public-links.ts';
import * as addresses from '../../shared/organizations/addresses/addresses.ts';
import { createLink, followLink } from '../../shared/organizations/links/links.ts';
import * as shareLinks from '../../shared/reports/rows/share-links.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { SignatureLink } from '../../shared/schemas/inspections/signature-link.ts';
import { type IssueCategory, NewIssueCategory } from '../../shared/schemas/issues/category.ts';
import { NewPublicLink, type PublicLink } from '../../shared/schemas/issues/public-link.ts';
import type { ShareLink } from '../../shared/schemas/reports/share-link.ts';
import type { StoredPublicLink } from '../../shared/table/entities/issues.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow } from '../../shared/table/rows.ts';
import { newDocument } from '../answers/fixtures.ts';
import { newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { newInspection, startedInspection } from '../inspections/fixtures.ts';
import { contentWith, field, section, uuid } from '../support/content.ts';
import { mailTasks } from '../support/notices.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import type { Person } from '../support/people.ts';
import { visit } from '../support/visit.ts';

/** A report of a new inspection. */
export const newReport = async (
  person: Person,
  fields: Record<string, unknown> = {},
): Promise<{ id: string; inspection_id: string }> => {
  const { id: inspection_id } = await newInspection(person, fields);
  const { id } = await person.reports.create({ params: { inspection_id } });
  return { id, inspection_id };
};

/** Renders a report that waits for it. */
export const render = async (person: Person, reportId: string): Promise<void> => {
  const task = (await waitingTasks(person.caller)).find(({ data }) => data['report_id'] === reportId)!;
  if (!(await deliver(renderReport.handler, task))) throw new Error('the report was not rendered');
};

/** A link to a rendered report. */
export const newShareLink = async (
  person: Person,
  fields: Record<string, unknown> = {},
): Promise<ShareLink & { inspection_id: string; url: string }> => {
  const { id, inspection_id } = await newReport(person, fields);
  await render(person, id);
  const link = await person.reports.createShareLink({ params: { report_id: id } });
  return { ...link, inspection_id };
};

/** The token of a question to an address. */
export const newQuestion = async (person: Person, address = `${crypto.randomUUID()}@client.example`) => {
  const token = await addresses.ask(person.caller, address, crypto.randomUUID());
  return { address, token: token! };
};

/** The token by which an address ends all mails. */
export const newStopLink = async (person: Person, address = `${crypto.randomUUID()}@client.example`) => ({
  address,
  token: await addresses.stopToken(person.caller, address),
});

/** An address for which a report waits, the link in its offer, and the one that stops the mails. */
export const newOffer = async (person: Person) => {
  const { id: report_id, inspection_id } = await newReport(person);
  await render(person, report_id);
  const address = `${crypto.randomUUID()}@client.example`;
  await person.reports.createEmail({ params: { report_id }, body: { to: [address] } });
  for (const task of await mailTasks(person)) await deliver(sendMail.handler, task);
  return {
    address,
    report_id,
    token: await offerAgain(person, { inspection_id, report_id }, address),
    stopToken: await addresses.stopToken(person.caller, address),
    offerAgain: () => offerAgain(person, { inspection_id, report_id }, address),
  };
};

/** The token in an offer of a report, as the mail worker makes it. */
const offerAgain = async (
  { caller }: Person,
  report: { inspection_id: string; report_id: string },
  address: string,
): Promise<string> => {
  const offered = { ...report, share_link_id: uuidv7() };
  await shareLinks.offer(caller, offered, address);
  return createLink(caller, 'confirm', { address, report: offered }, Date.now() + 3_600_000);
};

/** A link that the contact of a corrective action has. The mail worker makes such a token. */
export interface ContactLink {
  action: CorrectiveAction;
  token: string;
}

/** A photo that says where it was taken. */
const placedPhoto = () =>
  sharp({ create: { width: 40, height: 30, channels: 3, background: '#a33' } })
    .jpeg()
    .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' } })
    .toBuffer();

/** What is wrong in a flat of a tower: an answer with a note and a photo has told of it. */
export const foundInFlat = async (person: Person) => {
  const place = (fields: object) => person.locations.create({ body: fields });
  const tower = await place({ name: 'Tower One' });
  const floor = await place({ name: 'Floor 3', parent_id: tower.id });
  const flat = await place({ name: 'Flat 41', parent_id: floor.id, timezone: 'Europe/Athens' });
  const question = field(3, 'text', { label: 'Is the window tight?' });
  const inspection = await startedInspection(person, {
    location_id: flat.id,
    family: { content: contentWith(question) },
  });
  const photoId = await newDocument(person, 'image/jpeg');
  await putObject(person.caller, documentKey(person.caller, photoId), await placedPhoto(), 'image/jpeg');
  const at = { section_id: uuid(1), field_id: uuid(3) };
  const media = [{ document_id: photoId, caption: '' }];
  const answer = { ...at, value: 'no', note: 'Water on the sill', media };
  await person.answers.replace({ params: { inspection_id: inspection.id }, body: answer });
  const content = { description: 'The seal is torn' };
  const finding = await newFinding(person, { label: 'Leak', severity: 'major', content, ...at }, inspection);
  return { finding, photoId };
};

/** A corrective action with a contact who was sent the link to it. @param fields of the action */
export const newContactLink = async (
  person: Person,
  fields: object = {},
  finding?: { id: string },
): Promise<ContactLink> => {
  const contact = { name: 'Cara Cool', email: `cara@${crypto.randomUUID()}.example`, company: 'Cool Ltd' };
  const action = await newAction(person, { contact, ...fields }, finding);
  return { action, token: await contactToken(person, action) };
};

/** Two tasks of one contact, each with the link to it. @param fields of the second action */
export const tasksOfOne = async (
  person: Person,
  fields: object = {},
): Promise<[ContactLink, ContactLink]> => {
  const contact = { name: 'Cara Cool', email: `cara@${crypto.randomUUID()}.example`, company: 'Cool Ltd' };
  const first = await newContactLink(person, { contact, title: 'Tighten it' });
  return [first, await newContactLink(person, { contact, title: 'Paint it', ...fields })];
};

/** A token for the link that an action has now. */
export const contactToken = async (
  { caller }: Pick<Person, 'caller'>,
  { id: action_id, inspection_id }: Pick<CorrectiveAction, 'id' | 'inspection_id'>,
): Promise<string> => {
  const row = await getRow(caller, keys.child(caller, inspection_id, 'ACTION', action_id));
  const target = { inspection_id, action_id, link_id: row!.contact_link!.id };
  return createLink(caller, 'action', target, Date.parse(row!.contact_link!.expires_at));
};

/** How the pages of a contact's link name an action. */
export const hiddenTask = async (
  { caller }: Pick<Person, 'caller'>,
  token: string,
  { id }: Pick<CorrectiveAction, 'id'>,
): Promise<string> => {
  const { target } = await followLink(token, 'action');
  const row = await getRow(caller, keys.child(caller, target.inspection_id, 'ACTION', target.action_id));
  // A link that has ended has no secret any more.
  return hideId(row?.contact_link?.form_secret ?? '', id);
};

/** The stamp of a form of a contact's page. @param age milliseconds */
export const contactStamp = async (
  { caller }: Pick<Person, 'caller'>,
  { id, inspection_id }: Pick<CorrectiveAction, 'id' | 'inspection_id'>,
  age = 10_000,
): Promise<string> => {
  const row = await getRow(caller, keys.child(caller, inspection_id, 'ACTION', id));
  return newStamp(row!.contact_link!.form_secret, Date.now() - age);
};

/** The signature that a witness is asked for, and the question above it. */
export const WITNESSED = { section_id: uuid(1), field_id: uuid(3) };
export const QUESTION = { section_id: uuid(1), field_id: uuid(2) };

const WITNESSED_CONTENT = {
  sections: [
    section(1, [
      field(2, 'text', { label: 'Is the rebar clean?' }),
      field(3, 'signature', { label: 'Signature of the engineer' }),
    ]),
    section(4, [field(5, 'text')]),
  ],
};

const mended = { create: 'auto', corrective_action: { title: 'Mend it' } };
const isSigned = (op: 'empty' | 'not_empty') => ({ field_id: WITNESSED.field_id, op });

/** The signature hides one question whose failed answer creates a finding, and shows another one. */
export const HIDING_WITNESS = {
  sections: [
    ...WITNESSED_CONTENT.sections,
    section(6, [
      field(7, 'pass_fail_na', { visible_if: isSigned('empty'), finding: mended }),
      field(8, 'pass_fail_na', { visible_if: isSigned('empty'), finding: mended }),
      field(9, 'pass_fail_na', { visible_if: isSigned('not_empty'), finding: mended }),
    ]),
  ],
};

/** The first section must be signed before the second one, which has a signature as well. */
export const HELD_CONTENT = {
  sections: [
    section(1, [field(2), field(3, 'signature')], { hold: true }),
    section(4, [field(5, 'signature')]),
  ],
};
export const WITNESSED_HELD = { section_id: uuid(4), field_id: uuid(5) };

/** A link by which a witness signs. */
export interface WitnessLink {
  inspection: Inspection;
  link: SignatureLink;
  token: string;
}

/** A link to the signature below an answered question. @param content of the template */
export const newWitnessLink = async (
  person: Person,
  body: object = {},
  content: object = WITNESSED_CONTENT,
): Promise<WitnessLink> => {
  const tower = await person.locations.create({ body: { name: 'Tower One' } });
  const floor = await person.locations.create({ body: { name: 'Floor 3', parent_id: tower.id } });
  const inspection = await startedInspection(person, {
    name: 'Before the pour',
    location_id: floor.id,
    family: { content },
  });
  const at = { params: { inspection_id: inspection.id } };
  await person.answers.replace({ ...at, body: { ...QUESTION, value: 'Yes, brushed', note: 'At noon' } });
  const link = await person.answers.createSignatureLink({
    ...at,
    body: { ...WITNESSED, name: 'Wanda Witness', ...body },
  });
  return { inspection, link, token: link.url!.split('/').at(-1)! };
};

/** The fields of the form on a witness's page. */
export const signatureFields = (page: string): Record<string, string> => {
  const [, form] = /<form id="report"[^>]*>([\s\S]*?)<\/form>/.exec(page)!;
  const fields = [...form!.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name, value]) => [name!, unescaped(value!)]));
};

/** The form on a witness's page with a drawn signature. */
export const drawnForm = async (page: string): Promise<Record<string, string>> => ({
  ...signatureFields(page),
  drawing: (await drawSignature(1)).toString('base64'),
  next: 'sign',
});

/**
 * Sends a photo as a browser without a program does: by the form of the page on which photos are added.
 * @returns the address to which the storage leads back
 */
export const sendPhoto = async (page: string, bytes: Uint8Array): Promise<string> => {
  const [, action, fields] = /<form id="photo"[^>]*action="([^"]+)">([\s\S]*?)<div/.exec(page)!;
  const form = new FormData();
  for (const [, name, value] of fields!.matchAll(/name="([^"]+)" value="([^"]*)"/g))
    form.append(unescaped(name!), unescaped(value!));
  form.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'photo.jpg');
  const answer = await fetch(unescaped(action!), { method: 'POST', body: form, redirect: 'manual' });
  if (answer.status !== 303) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer.headers.get('location')!;
};

const unescaped = (text: string): string => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** A question of every type, with options where it has them. */
export const QUESTIONS = [
  { type: 'text', label: 'Which room?' },
  { type: 'long_text', label: 'How did it come about?' },
  { type: 'single_select', label: 'How bad is it?', options: ['low', 'high'] },
  { type: 'single_select', label: 'Which floor?', options: ['1', '2', '3', '4', '5', '6', '7'] },
  { type: 'multi_select', label: 'What is affected?', options: ['water', 'power', 'heat'] },
  { type: 'yes_no', label: 'Is anyone hurt?' },
  { type: 'number', label: 'How many people?' },
  { type: 'date', label: 'Since when?' },
  { type: 'photo', label: 'A photo of the nameplate' },
].map(({ type, label, options }) => ({
  type,
  label,
  ...(options && { options: options.map((value) => ({ value, label: `Option ${value}` })) }),
}));

/** A public link with its category. */
export interface IssueLink {
  category: IssueCategory;
  link: PublicLink;
  token: string;
}

/** A link by which anyone reports an issue of a new category. */
export const newIssueLink = async (
  { caller }: Pick<Person, 'caller'>,
  { category = {}, link = {} }: { category?: object; link?: object } = {},
): Promise<IssueLink> => {
  const created = await categories.create(
    caller,
    NewIssueCategory.parse({ name: `Damage ${crypto.randomUUID()}`, ...category }),
  );
  const made = await publicLinks.create(caller, created.id, NewPublicLink.parse(link));
  return { category: created, link: made, token: made.token };
};

/** The row of a link, which has the secret of its forms. */
export const linkRow = async (
  { caller }: Pick<Person, 'caller'>,
  { link }: Pick<IssueLink, 'link'>,
): Promise<StoredPublicLink> => (await getRow(caller, keys.publicLink(caller, link.category_id, link.id)))!;

/** The stamp of a form that was handed out some time ago. @param age milliseconds */
export const newFormStamp = async (
  person: Pick<Person, 'caller'>,
  link: Pick<IssueLink, 'link'>,
  age = 10_000,
): Promise<string> => newStamp((await linkRow(person, link)).form_secret, Date.now() - age);

/** The fields of a form that is complete, of a category without questions. */
export const newForm = async (
  person: Pick<Person, 'caller'>,
  link: Pick<IssueLink, 'link'>,
  fields: Record<string, string> = {},
): Promise<Record<string, string>> => ({
  stamp: await newFormStamp(person, link),
  description: 'The tap in the kitchen leaks.',
  next: 'send',
  ...fields,
});

/** Uploads a photo of a form as the page's program does. @param type as the browser names it */
export const uploadPhoto = async (
  { token }: Pick<IssueLink, 'token'>,
  stamp: string,
  slot: number,
  bytes: Uint8Array,
  type = 'image/jpeg',
): Promise<void> => {
  const form = { stamp, slot: String(slot), size: String(bytes.length), type };
  const { status, text } = await visit(createIssueUpload, { token, form });
  if (status !== 200) throw new Error(`${status}: ${text}`);
  const { url, headers } = JSON.parse(text) as { url: string; headers: Record<string, string> };
  await fetch(url, { method: 'PUT', headers, body: new Uint8Array(bytes) });
};
