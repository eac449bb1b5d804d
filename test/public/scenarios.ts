import * as getSignatureForm from '../../functions/public/get-signature-form.ts';
import * as submitActionForm from '../../functions/public/submit-action-form.ts';
import { drawSignature } from '../../infra/demo/photos.ts';
import { aliasOf } from '../../shared/base/tenancy.ts';
import { edited, findingsOf, newDocument, saved } from '../answers/fixtures.ts';
import { newCertificate } from '../certificates/fixtures.ts';
import { attach } from '../corrective-actions/fixtures.ts';
import { uuid } from '../support/content.ts';
import type { Person } from '../support/people.ts';
import { type Visit, visit } from '../support/visit.ts';
import {
  contactStamp,
  drawnForm,
  foundInFlat,
  hiddenTask,
  newContactLink,
  newForm,
  newFormStamp,
  newIssueLink,
  newOffer,
  newQuestion,
  newShareLink,
  newStopLink,
  newWitnessLink,
  sendPhoto,
  HIDING_WITNESS,
  signatureFields,
  tasksOfOne,
  uploadPhoto,
} from './fixtures.ts';

/** A visit that must succeed. */
type VisitScenario = (person: Person) => Promise<Visit>;

const withLogo = async (person: Person): Promise<void> => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(await drawSignature(1))]), 'logo.png');
  await person.organization.uploadLogo({ form });
};

/** The same visit of an organization with a logo, and of one without. */
const both = (scenario: VisitScenario): [VisitScenario, VisitScenario] => [
  scenario,
  async (person) => {
    await withLogo(person);
    return scenario(person);
  },
];

/** A report with a photo, an assignee and a due date. */
const withPhoto = async (person: Person): Promise<Visit> => {
  const category = { default_assignee_id: person.adminId, sla_hours: 24 };
  const link = await newIssueLink(person, { category });
  const stamp = await newFormStamp(person, link);
  await uploadPhoto(link, stamp, 0, await drawSignature(1));
  return { token: link.token, form: await newForm(person, link, { stamp, photos: '0:' }) };
};

/** A contact's page that shows where it is and what was found. */
const withFound = async (person: Person): Promise<Visit & { photoId: string }> => {
  const { finding, photoId } = await foundInFlat(person);
  const { action, token } = await newContactLink(person, {}, finding);
  await attach(person, action, await newDocument(person), { stage: 'before' });
  return { token, photoId };
};

/** A photo, and what the contact says with it. */
const withEvidence = async (person: Person, said: Record<string, string>): Promise<Visit> => {
  const { action, token } = await newContactLink(person, { evidence_required: true });
  const stamp = await contactStamp(person, action);
  const page = await visit(submitActionForm, { token, form: { stamp, next: 'photos' } });
  await sendPhoto(page.text, await drawSignature(1));
  return { token, form: { stamp, photos: '0:', ...said } };
};

const numbered: VisitScenario = async (person) => ({
  token: (await newCertificate(person)).certificate.number,
});

const sharedCertificate: VisitScenario = async (person) => {
  const { id } = (await newCertificate(person)).certificate;
  return { token: (await person.certificates.share({ params: { certificate_id: id } })).url };
};

/** Valid visits of each page. What they use together is recorded. */
export const visits: Readonly<Record<string, readonly [VisitScenario, ...VisitScenario[]]>> = {
  askAddress: both(newQuestion),
  answerAddress: [
    ...both(async (person) => ({ ...(await newQuestion(person)), form: { answer: 'yes' } })),
    async (person) => ({ token: (await newOffer(person)).token, form: { answer: 'yes' } }),
  ],
  askToStopMails: both(newStopLink),
  stopMails: [
    ...both(async (person) => ({
      ...(await newStopLink(person)),
      form: { 'List-Unsubscribe': 'One-Click' },
    })),
    async (person) => ({ token: (await newOffer(person)).stopToken, form: {} }),
  ],
  getSharedReport: both(async (person) => ({ token: (await newShareLink(person)).url })),
  getSharedFile: [
    async (person) => ({ token: (await newShareLink(person)).url }),
    async (person) => ({ token: (await newShareLink(person)).url, query: { download: '1' } }),
  ],
  getCertificateVerification: both(numbered),
  getCertificateVerificationJson: [numbered],
  getSharedCertificate: both(sharedCertificate),
  getSharedCertificatePdf: [sharedCertificate],
  getActionForm: [
    newContactLink,
    withFound,
    async (person) => {
      const { action, token } = await newContactLink(person);
      return { token, query: { stamp: await contactStamp(person, action), photos: '0:' } };
    },
  ],
  getActionPhoto: [
    async (person) => {
      const { token, photoId } = await withFound(person);
      return { token, query: { id: aliasOf(person.caller, photoId) } };
    },
  ],
  submitActionForm: [
    async (person) => {
      const { action, token } = await newContactLink(person);
      const stamp = await contactStamp(person, action);
      return { token, form: { stamp, description: 'Parts are ordered', next: 'send' } };
    },
    (person) => withEvidence(person, { next: 'send' }),
    (person) => withEvidence(person, { description: 'Replaced it', next: 'done' }),
    async (person) => {
      const { action, token } = await newContactLink(person);
      return { token, form: { stamp: await contactStamp(person, action), next: 'photos' } };
    },
    async (person) => {
      const { action, token } = await newContactLink(person);
      return { token, form: { stamp: await contactStamp(person, action), next: 'finish' } };
    },
  ],
  createActionUpload: [
    async (person) => {
      const { action, token } = await newContactLink(person);
      const stamp = await contactStamp(person, action);
      return { token, form: { stamp, slot: '0', size: '1000', type: 'image/jpeg' } };
    },
  ],
  getContactTasks: [
    ...both(newContactLink),
    async (person) => ({ ...(await withFound(person)), query: { from: '2031-01-01' } }),
  ],
  getContactTasksCsv: [withFound],
  openContactTask: [
    async (person) => {
      const [{ token }, { action }] = await tasksOfOne(person);
      return { token, query: { id: await hiddenTask(person, token, action) } };
    },
  ],
  submitContactTasks: [
    ...both(async (person) => {
      const { action, token } = await newContactLink(person);
      return { token, form: { stamp: await contactStamp(person, action), next: 'language' } };
    }),
    async (person) => {
      const [{ action, token }] = await tasksOfOne(person);
      const stamp = await contactStamp(person, action);
      const task = await hiddenTask(person, token, action);
      return { token, form: { stamp, task, description: 'Replaced it', next: 'done' } };
    },
    async (person) => {
      const [{ action, token }, other] = await tasksOfOne(person, { evidence_required: true });
      const stamp = await contactStamp(person, action);
      return { token, form: { stamp, task: await hiddenTask(person, token, other.action) } };
    },
  ],
  getSignatureForm: [
    ...both(newWitnessLink),
    async (person) => {
      const { token } = await newWitnessLink(person);
      const { stamp } = signatureFields((await visit(getSignatureForm, { token })).text);
      return { token, query: { stamp: stamp!, photos: '0:' } };
    },
  ],
  submitSignatureForm: [
    async (person) => {
      const { inspection, token } = await newWitnessLink(person, {}, HIDING_WITNESS);
      for (const n of [7, 8, 9])
        await saved(person, inspection, { section_id: uuid(6), field_id: uuid(n), value: 'fail' });
      const [finding] = await findingsOf(person, inspection);
      await edited(person, finding!);
      return { token, form: await drawnForm((await visit(getSignatureForm, { token })).text) };
    },
    async (person) => {
      const { token } = await newWitnessLink(person);
      return { token, form: await drawnForm((await visit(getSignatureForm, { token })).text) };
    },
    async (person) => {
      const { token } = await newWitnessLink(person);
      const page = (await visit(getSignatureForm, { token })).text;
      await sendPhoto(page, await drawSignature(1));
      return { token, form: { ...signatureFields(page), photos: '0:', next: 'sign' } };
    },
    async (person) => {
      await withLogo(person);
      const { token } = await newWitnessLink(person);
      const page = (await visit(getSignatureForm, { token })).text;
      return { token, form: { ...signatureFields(page), next: 'language' } };
    },
  ],
  getIssueForm: both(newIssueLink),
  getIssueQrPng: [newIssueLink],
  getIssueQrSvg: [newIssueLink],
  createIssueUpload: [
    async (person) => {
      const link = await newIssueLink(person);
      const stamp = await newFormStamp(person, link);
      return { token: link.token, form: { stamp, slot: '0', size: '1000', type: 'image/jpeg' } };
    },
  ],
  submitIssueForm: [
    async (person) => {
      const link = await newIssueLink(person);
      return { token: link.token, form: await newForm(person, link) };
    },
    withPhoto,
    async (person) => {
      await withLogo(person);
      return withPhoto(person);
    },
  ],
};

// The operations of this area take no key; `visits` has what they need.
export const scenarios = {};
