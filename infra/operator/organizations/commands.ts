import * as z from 'zod';
import { resume, suspend } from '../../../shared/db/organization/suspension.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { command, Rate } from '../command.ts';
import { operatorOf } from '../operator.ts';
import { deleteOrganization, GRACE_DAYS } from './delete.ts';
import { exportOrganization } from './export.ts';
import { importOrganization } from './import.ts';

const Org = Uuid.meta({ help: 'The id of the organization.' });
const Folder = z.string().min(1);

/** The commands that move, suspend and delete whole organizations. */
export const organizationCommands = {
  'org export': command({
    summary:
      'write all rows and files of an organization into a folder, with a manifest; goes on where it was interrupted. Suspend the organization first, so that all is of one moment',
    options: z.strictObject({
      org: Org,
      to: Folder.meta({ help: 'The folder. It is made where there is none.' }),
    }),
    run: async ({ org, to }) => exportOrganization(await operatorOf(org), to),
  }),
  'org import': command({
    summary:
      'write such a folder into this deployment, with all ids; keys and webhook secrets are made anew and shown only once',
    options: z.strictObject({
      from: Folder.meta({ help: 'The folder that org export has written.' }),
    }),
    run: ({ from }) => importOrganization(from),
    succeeded: ({ check }) => check.found === 0 && check.unsettled === 0,
  }),
  'org suspend': command({
    summary:
      'close an organization: keys and sessions get a 403, public links say that they are closed, and all its work waits',
    options: z.strictObject({ org: Org }),
    run: async ({ org }) => ({ org_id: org, suspended: await suspend(await operatorOf(org)) }),
  }),
  'org resume': command({
    summary:
      'open a suspended organization again, also one that was to be deleted; what has waited is done next',
    options: z.strictObject({ org: Org }),
    run: async ({ org }) => {
      await resume(await operatorOf(org));
      return { org_id: org, suspended: null };
    },
  }),
  'org delete': command({
    summary: `suspend an organization for ${GRACE_DAYS} days, in which org resume takes it back; called again after them, delete all its rows and files, and keep a signed certificate`,
    options: z.strictObject({
      org: Org,
      yes: z.literal(true, 'say --yes: a deletion cannot be undone').meta({ help: 'That you mean it.' }),
      now: z.boolean().default(false).meta({ help: 'Without the days of grace; only on a local service.' }),
      rate: Rate.meta({ help: 'Rows of the table that are read in a second; usually 500.' }),
    }),
    run: async ({ org, now, rate }) => deleteOrganization(await operatorOf(org), { isNow: now, rate }),
  }),
};
