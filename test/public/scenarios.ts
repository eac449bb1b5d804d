import * as uploadLogo from '../../functions/organization/upload-logo.ts';
import { drawSignature } from '../../infra/demo/photos.ts';
import { as } from '../support/call.ts';
import type { Person } from '../support/people.ts';
import type { Visit } from '../support/visit.ts';
import {
  newForm,
  newFormStamp,
  newIssueLink,
  newQuestion,
  newShareLink,
  newStopLink,
  uploadPhoto,
} from './fixtures.ts';

/** A visit that must succeed. */
type VisitScenario = (person: Person) => Promise<Visit>;

const withLogo = async (person: Person): Promise<void> => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(await drawSignature(1))]), 'logo.png');
  await as(person).must.post(uploadLogo, { form });
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

/** Valid visits of each page. Together they use all grants that it declares. */
export const visits: Readonly<Record<string, readonly [VisitScenario, ...VisitScenario[]]>> = {
  askAddress: both(newQuestion),
  answerAddress: both(async (person) => ({ ...(await newQuestion(person)), form: { answer: 'yes' } })),
  askToStopMails: both(newStopLink),
  stopMails: both(async (person) => ({
    ...(await newStopLink(person)),
    form: { 'List-Unsubscribe': 'One-Click' },
  })),
  getSharedReport: both(async (person) => ({ token: (await newShareLink(person)).url })),
  getSharedFile: [
    async (person) => ({ token: (await newShareLink(person)).url }),
    async (person) => ({ token: (await newShareLink(person)).url, query: { download: '1' } }),
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
