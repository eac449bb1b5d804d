import * as z from 'zod';
import type { Caller } from '../../shared/base/caller.ts';
import { pauseMails, resumeMails } from '../../shared/notices/paused-mails.ts';
import { countWaiting, limitsOf, placeAnew } from '../../shared/notices/waiting-mails.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import { MAX_REQUESTS_PER_MINUTE } from '../../shared/organizations/authentication.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import * as access from '../../shared/organizations/people/access.ts';
import { Expiry, KeyRotation, NewApiKey } from '../../shared/schemas/api-key.ts';
import { Name, Uuid } from '../../shared/schemas/common.ts';
import { PersonRole } from '../../shared/schemas/session.ts';
import type { SlotKind } from '../../shared/schemas/slots.ts';
import type { StoredOrganization } from '../../shared/table/entities/organization.ts';
import { maxSlots, setMaxSlots } from '../../shared/table/slots.ts';
import { GIGABYTE, storageUse } from '../../shared/table/stored-bytes.ts';
import * as families from '../../shared/templates/families.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { migrate, UNKNOWN } from '../../shared/upkeep/migration.ts';
import { command, Rate } from './command.ts';
import { deadLetterCommands } from './dead-letters.ts';
import { doctorCommands } from './doctor.ts';
import { operatorOf } from './operator.ts';
import { organizationCommands } from './organizations/commands.ts';
import { restoreCommands } from './restore.ts';
import { webhookCommands } from './webhooks.ts';

const Email = z.email().max(320);
const Access = z.enum(['read_write', 'read_only']);

/** Whom the rule binds that a second person verifies, and the value of `four_eyes_verification` for it. */
const FOUR_EYES = { all: true, nobody: false, people: null } as const;
const FourEyes = z.enum(Object.keys(FOUR_EYES) as [keyof typeof FOUR_EYES]);
/** Gigabytes of 10⁹ bytes. */
const Gigabytes = z
  .string()
  .regex(/^\d{1,7}(\.\d{1,3})?$/, 'it must be a number of gigabytes, such as 2.5')
  .transform(Number);
/** Several values in one option, separated by commas. */
const listed = <Value extends string>(values: z.ZodType<Value[]>) =>
  z
    .string()
    .transform((text) => text.split(',').map((value) => value.trim()))
    .pipe(values as z.ZodType<Value[], string[]>);
/** Hours that the secret before a rotation works on. */
const Hours = z
  .string()
  .regex(/^\d{1,3}$/, 'it must be a number of hours')
  .transform(Number)
  .pipe(KeyRotation.shape.overlap_hours.unwrap());
const Mails = z
  .string()
  .regex(/^[1-9]\d{0,6}$/, 'it must be a whole number from 1 to 9999999')
  .transform(Number);

/** The limits that the options set; undefined where they set none. */
const mailLimits = (
  options: Partial<Record<`max-${'mails' | 'member-mails' | 'report-recipients'}`, number | undefined>>,
) => {
  const limits = given({
    to_others: options['max-mails'],
    to_members: options['max-member-mails'],
    report_recipients: options['max-report-recipients'],
  });
  return Object.keys(limits).length === 0 ? undefined : limits;
};

/** The values that are there. */
const given = <Name extends string>(
  values: Readonly<Record<Name, number | undefined>>,
): Partial<Record<Name, number>> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<
    Record<Name, number>
  >;

/** What each kind of slot is called in a reply, and the option that sets how many there are. */
const SLOT_NAMES = {
  RENDER: { name: 'reports', option: 'max-waiting-reports' },
  EXPORT: { name: 'exports', option: 'max-waiting-exports' },
  BULK_EXPORT: { name: 'bulk_exports', option: 'max-waiting-bulk-exports' },
  BULK_CHANGE: { name: 'bulk_changes', option: 'max-waiting-bulk-changes' },
  MAIL: { name: 'mails', option: 'max-waiting-mails' },
  SYNC: { name: 'syncs', option: 'max-syncs' },
  WEBHOOK: { name: 'webhooks', option: 'max-webhooks-at-once' },
  IMPORT: { name: 'imports', option: 'max-imports-at-once' },
} as const satisfies Record<SlotKind, object>;
const SLOT_KINDS = Object.keys(SLOT_NAMES) as SlotKind[];
type SlotOption = (typeof SLOT_NAMES)[SlotKind]['option'];
const Slots = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, 'it must be a whole number from 1 to 9999')
  .transform(Number)
  .optional();
/** Requests in a minute. */
const Requests = z
  .string()
  .regex(/^\d{1,6}$/)
  .transform(Number)
  .pipe(z.int().min(MAX_REQUESTS_PER_MINUTE))
  .optional();

/** How many slots the options set, by their kind. */
const givenSlots = (options: Readonly<Partial<Record<SlotOption, number | undefined>>>) =>
  given(
    Object.fromEntries(SLOT_KINDS.map((kind) => [kind, options[SLOT_NAMES[kind].option]])) as Record<
      SlotKind,
      number | undefined
    >,
  );

/** How much of each kind may wait or run, as a reply names it. */
const maxWaiting = async (caller: Caller) => {
  const most = await maxSlots(caller);
  return Object.fromEntries(SLOT_KINDS.map((kind) => [SLOT_NAMES[kind].name, most[kind]]));
};
const Truth = z.enum(['true', 'false']);

/** Of the person that a command adds. */
const NO_CONSENT =
  'who has told you that keys may act for them (On-Behalf-Of); --no-consent leaves this to the person';

/** The commands of the platform team's command line, by name. No operation of the API does what they do. */
export const commands = {
  'org create': command({
    summary: `create an organization with its first admin, ${NO_CONSENT}`,
    options: z.strictObject({ name: Name, 'admin-email': Email, 'no-consent': z.boolean().default(false) }),
    run: ({ name, 'admin-email': email, 'no-consent': hasNoConsent }) =>
      organizations.create(name, email, !hasNoConsent),
  }),
  'org set': command({
    summary: 'change the settings and limits of an organization; an option that is left out changes nothing',
    options: z.strictObject({
      org: Uuid.meta({ help: 'The id of the organization.' }),
      owner: Uuid.optional().meta({ help: 'The id of the admin who becomes the owner.' }),
      'four-eyes': FourEyes.optional().meta({
        help: 'Who must not verify their own work: all, people (but not API keys) or nobody.',
      }),
      'max-storage-gb': Gigabytes.optional().meta({ help: 'Gigabytes of files that it may store.' }),
      mails: z
        .enum(['paused', 'resumed'])
        .optional()
        .meta({ help: 'Whether mails to addresses that are no member’s are paused or resumed.' }),
      'max-mails': Mails.optional().meta({ help: 'Mails a day to addresses that are no member’s.' }),
      'max-member-mails': Mails.optional().meta({ help: 'Mails a day to members.' }),
      'max-report-recipients': Mails.optional().meta({ help: 'Recipients of mailed reports a day.' }),
      'max-requests-per-minute': Requests.meta({
        help: `Requests a minute of each API key, from ${MAX_REQUESTS_PER_MINUTE}, which is usual, to 999999.`,
      }),
      'max-requests-of-all-keys': Requests.meta({
        help: 'Requests a minute of all API keys together. Usually there is no such limit.',
      }),
      'max-waiting-reports': Slots.meta({ help: 'Reports that may wait to be rendered.' }),
      'max-waiting-exports': Slots.meta({ help: 'Exports of single reports that may wait to be made.' }),
      'max-waiting-bulk-exports': Slots.meta({ help: 'Bulk exports that may wait to be made.' }),
      'max-waiting-mails': Slots.meta({ help: 'Mails of reports that may wait to be sent.' }),
      'max-syncs': Slots.meta({ help: 'Syncs that may wait or run.' }),
      'max-webhooks-at-once': Slots.meta({ help: 'Endpoints that get events at the same time.' }),
      'max-imports-at-once': Slots.meta({ help: 'Forms that are imported at the same time.' }),
    }),
    run: async ({ org, owner, 'four-eyes': fourEyes, 'max-storage-gb': gigabytes, mails, ...limits }) => {
      const caller = await operatorOf(org);
      const changes = {
        ...(owner && { owner_user_id: owner }),
        ...(fourEyes && { four_eyes_verification: FOUR_EYES[fourEyes] }),
      };
      const reply = async ({ id, owner_user_id, four_eyes_verification }: StoredOrganization) => ({
        id,
        owner_user_id,
        four_eyes_verification,
      });
      const organization = await organizations.update(caller, changes, undefined, reply);
      if (gigabytes !== undefined) await organizations.setMaxStorage(caller, gigabytes * GIGABYTE);
      await setMaxSlots(caller, givenSlots(limits));
      await apiKeys.setRequestLimits(
        caller,
        given({
          max_requests_per_minute: limits['max-requests-per-minute'],
          max_requests_of_all_keys: limits['max-requests-of-all-keys'],
        }),
      );
      const mailsPerDay = mailLimits(limits);
      if (mailsPerDay) {
        await organizations.setMailLimits(caller, mailsPerDay);
        await placeAnew(caller, 'limit');
      }
      if (mails === 'paused') await pauseMails(caller, 'operator');
      if (mails === 'resumed') await resumeMails(caller);
      const { mails_paused: paused = null, ...settings } = await organizations.get(caller);
      return {
        ...organization,
        storage: await storageUse(caller),
        mails: {
          waiting: await countWaiting(caller),
          paused,
          max_per_day: limitsOf(settings),
        },
        requests: {
          max_per_minute: settings.max_requests_per_minute ?? MAX_REQUESTS_PER_MINUTE,
          max_of_all_keys: settings.max_requests_of_all_keys ?? null,
        },
        max_waiting: await maxWaiting(caller),
      };
    },
  }),
  'org check': command({
    summary:
      'find derived counters and lists that are wrong, and rows that this release does not understand; --repair corrects what follows from others',
    options: z.strictObject({ org: Uuid, repair: z.boolean().default(false) }),
    run: async ({ org, repair }) => checkOrganization(await operatorOf(org), { repair }),
    succeeded: ({ found, mended, unsettled }) => found === mended && unsettled === 0,
  }),
  ...organizationCommands,
  'member add': command({
    summary: `add a person to an organization, ${NO_CONSENT}`,
    options: z.strictObject({
      org: Uuid,
      name: Name,
      email: Email,
      role: PersonRole,
      'no-consent': z.boolean().default(false),
    }),
    run: async ({ org, 'no-consent': hasNoConsent, ...fields }) =>
      access.add(await operatorOf(org), fields, !hasNoConsent),
  }),
  'family allow-api': command({
    summary: 'set whether API keys may approve inspections of a template family: true or false',
    options: z.strictObject({ org: Uuid, family: Uuid, allow: Truth }),
    run: async ({ org, family, allow }) => {
      const changes = { settings: { approval: { allow_api: allow === 'true' } } };
      const { id, settings } = await families.update(await operatorOf(org), family, changes);
      return { id, allow_api: settings.approval.allow_api };
    },
  }),
  'family set': command({
    summary:
      'set whether nobody approves their own work in a template family, and whether only people decide who have signed in: true or false',
    options: z.strictObject({
      org: Uuid,
      family: Uuid,
      'four-eyes': Truth.optional(),
      'signed-in-only': Truth.optional(),
    }),
    run: async ({ org, family, 'four-eyes': fourEyes, 'signed-in-only': signedInOnly }) => {
      const approval = {
        ...(fourEyes && { four_eyes: fourEyes === 'true' }),
        ...(signedInOnly && { signed_in_only: signedInOnly === 'true' }),
      };
      const { id, settings } = await families.update(await operatorOf(org), family, {
        settings: { approval },
      });
      const { four_eyes, signed_in_only } = settings.approval;
      return { id, four_eyes, signed_in_only };
    },
  }),
  'key create': command({
    summary:
      'create an API key; it is shown only once; with --act-for-members, its requests may name the member for whom they are made (On-Behalf-Of); --scopes and --networks limit it, separated by commas',
    options: z.strictObject({
      org: Uuid,
      name: Name,
      access: Access,
      expires: Expiry.default('never'),
      'act-for-members': z.boolean().default(false),
      scopes: listed(NewApiKey.shape.scopes.unwrap().unwrap()).optional(),
      networks: listed(NewApiKey.shape.networks.unwrap().unwrap()).optional(),
    }),
    run: async ({ org, 'act-for-members': act_for_members, ...fields }) =>
      apiKeys.create(await operatorOf(org), { ...fields, act_for_members }),
  }),
  'key rotate': command({
    summary:
      'give an API key another secret, shown only once; the one before it works on for --overlap-hours (24)',
    options: z.strictObject({
      org: Uuid,
      id: Uuid,
      'overlap-hours': Hours.default(24),
      expires: Expiry.optional(),
    }),
    run: async ({ org, id, 'overlap-hours': overlap_hours, expires }) =>
      apiKeys.rotate(await operatorOf(org), id, { overlap_hours, ...(expires && { expires }) }),
  }),
  'key list': command({
    summary: 'list the API keys of an organization',
    options: z.strictObject({ org: Uuid }),
    run: async ({ org }) => apiKeys.list(await operatorOf(org)),
  }),
  'key revoke': command({
    summary: 'revoke an API key immediately; this cannot be undone',
    options: z.strictObject({ org: Uuid, id: Uuid }),
    run: async ({ org, id }) => {
      await apiKeys.revoke(await operatorOf(org), id);
      return { id, status: 'revoked' };
    },
  }),
  migrate: command({
    summary:
      'store all rows in the form of this release; goes on where it was interrupted; with --org only those that queries of the organization reach, and not those by a hash, such as sessions and links; --dry-run only counts; --rate is in rows per second (500)',
    options: z.strictObject({ org: Uuid.optional(), 'dry-run': z.boolean().default(false), rate: Rate }),
    run: async ({ org, 'dry-run': dryRun, rate }) => {
      if (org !== undefined) await operatorOf(org);
      const { read, outdated } = await migrate({ org, dryRun, rate });
      const rows = Object.entries(read)
        .map(([name, count]) => ({
          kind: name.split(' ')[0]!,
          form: Number(name.split(' ')[1]),
          rows: count,
        }))
        .toSorted((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : a.form - b.form));
      return { dry_run: dryRun, outdated, rows };
    },
    succeeded: ({ rows }) => rows.every(({ kind }) => kind !== UNKNOWN),
  }),
  ...webhookCommands,
  ...deadLetterCommands,
  ...doctorCommands,
  ...restoreCommands,
};
