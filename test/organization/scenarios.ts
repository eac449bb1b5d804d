import sharp from 'sharp';
import * as deleteLogo from '../../functions/organization/delete-logo.ts';
import * as uploadLogo from '../../functions/organization/upload-logo.ts';
import { memberWrites } from '../../shared/db/members/members.ts';
import { change } from '../../shared/db/table/change.ts';
import { made } from '../support/call.ts';
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
  made(uploadLogo, { as: key, form: await logoForm() });

// A logo's URL is another one each time; what must compare equal has none.
const withoutLogo = ({ key }: Person): Promise<unknown> => made(deleteLogo, { as: key });

const newAdmin = async ({ caller }: Person): Promise<string> => {
  const user_id = crypto.randomUUID();
  const writes = memberWrites(caller, {
    user_id,
    name: 'Ada',
    email: `${user_id}@example.com`,
    role: 'admin',
  });
  await change(caller, () => ({ writes, reply: undefined }));
  return user_id;
};

export const scenarios: Scenarios = {
  getOrganization: [
    () => ({}),
    async (person) => {
      await withLogo(person);
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
      return { body: { owner_user_id: await newAdmin(person) } };
    },
  ],
  uploadLogo: [
    async () => ({ form: await logoForm() }),
    async (person) => {
      await withLogo(person);
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
