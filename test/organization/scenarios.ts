import sharp from 'sharp';
import { as } from '../support/call.ts';
import type { Person } from '../support/people.ts';
import type { Scenarios } from '../support/scenarios.ts';

const logoForm = async (): Promise<FormData> => {
  const form = new FormData();
  const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#1a73e8' } })
    .png()
    .toBuffer();
  form.append('file', new Blob([new Uint8Array(png)]), 'logo.png');
  return form;
};

const withLogo = async ({ key }: Person): Promise<object> =>
  as(key).organization.uploadLogo({ form: await logoForm() });

/** The address for replies is an active member's, so it takes the most calls to find out that it is used. */
const withReplyTo = ({ key }: Person): Promise<unknown> =>
  as(key).organization.update({ body: { reply_to_email: 'admin@example.com' } });

// The URL of a logo is signed anew for each reply, so replies that must be equal have no logo.
const withoutLogo = ({ key }: Person): Promise<unknown> => as(key).organization.deleteLogo();

export const scenarios: Scenarios = {
  getOrganization: [
    () => ({}),
    async (person) => {
      await withLogo(person);
      await withReplyTo(person);
      return {};
    },
  ],
  updateOrganization: [
    async (person) => {
      await withoutLogo(person);
      return { body: { name: 'Harbour Inspections', region: 'PT', weekend_days: ['sunday'] } };
    },
    async (person) => {
      await withLogo(person);
      return { body: { timezone: 'Europe/Lisbon', reply_to_email: 'admin@example.com' } };
    },
  ],
  uploadLogo: [
    async () => ({ form: await logoForm() }),
    async (person) => {
      await withLogo(person);
      await withReplyTo(person);
      return { form: await logoForm() };
    },
  ],
  deleteLogo: [
    () => ({}),
    async (person) => {
      await withLogo(person);
      return {};
    },
  ],
};
