import * as z from 'zod';
import { resume, suspend } from '../../../shared/organizations/suspension.ts';
import { usageOf } from '../../../shared/organizations/usage.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { KEPT_MONTHS, monthBefore, monthOf } from '../../../shared/table/months.ts';
import { command, Rate } from '../command.ts';
import { operatorOf } from '../operator.ts';
import { deleteOrganization, GRACE_DAYS } from './delete.ts';
import { exportOrganization } from './export.ts';
import { importOrganization } from './import.ts';

const Org = Uuid.meta({ help: 'The id of the organization.' });
const Folder = z.string().min(1);

/** A month of UTC of which the counts are kept. */
const Month = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, { error: 'it must be a month, such as 2026-03', abort: true })
  .refine((month) => {
    const present = monthOf(new Date().toISOString());
    return month <= present && month >= monthBefore(present, KEPT_MONTHS);
  }, `it must be the present month, or one of the ${KEPT_MONTHS} before it`);

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
      'write such a folder into this deployment, with all ids; keys, webhook secrets and the links of issue forms are made anew and shown only once',
    options: z.strictObject({
      from: Folder.meta({ help: 'The folder that org export has written.' }),
    }),
    run: ({ from }) => importOrganization(from),
    succeeded: ({ check }) => check.found === 0 && check.unsettled === 0,
  }),
  'org usage': command({
    summary:
      'what an organization has used in a month of UTC, for its bill. Exact: reports that were rendered, and bytes of files at the end of the month, or now; after org import, as if all files had been there before. Nearly exact: requests of API keys that were let through, of which one is counted twice when its connection breaks, and recipients of mails, of which one is not counted when its worker ends while it sends. Not counted: refused requests, those of people in the app and of public pages, and what was before the first release that counts. Costs a few calls, and one more for each hundred keys',
    options: z.strictObject({
      org: Org,
      month: Month.meta({
        help: `Such as 2026-03: the present one, or one of the ${KEPT_MONTHS} before it.`,
      }),
    }),
    run: async ({ org, month }) => ({
      org_id: org,
      month,
      ...(await usageOf(await operatorOf(org), month, new Date())),
    }),
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
      now: z.boolean().default(false).meta({
        help: 'Without the days of grace; only on a local service. Waits half a minute for requests that are under way.',
      }),
      rate: Rate.meta({ help: 'Rows of the table that are read in a second; usually 500.' }),
    }),
    run: async ({ org, now, rate }) => deleteOrganization(await operatorOf(org), { isNow: now, rate }),
  }),
};
