import * as uploadLogo from '../../functions/organization/upload-logo.ts';
import { drawSignature } from '../../infra/demo/photos.ts';
import { as } from '../support/call.ts';
import type { Person } from '../support/people.ts';
import type { Visit } from '../support/visit.ts';
import { newQuestion, newShareLink, newStopLink } from './fixtures.ts';

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
};

// The operations of this area take no key; `visits` has what they need.
export const scenarios = {};
