import * as z from 'zod';
import { Uuid } from '../../../shared/schemas/common.ts';
import { command } from '../command.ts';
import { operatorOf } from '../operator.ts';
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
};
