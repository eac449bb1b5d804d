import * as z from 'zod';

/** Size of `ui` as JSON, in bytes. */
const MAX_UI_BYTES = 64 * 1024;

const Ui = z
  .record(z.string(), z.unknown())
  .refine((ui) => new TextEncoder().encode(JSON.stringify(ui)).length <= MAX_UI_BYTES, {
    error: `Value error, should have at most ${MAX_UI_BYTES} bytes of JSON`,
  })
  .meta({ description: 'Settings that a client stores for itself, at most 64 KB of JSON.' });

const Notifications = z.strictObject({
  new_assignments: z.boolean().meta({
    description:
      'Whether the member is told of new assignments, and of new issues of a category that they look after.',
  }),
  overdue_inspections: z.boolean().meta({
    description:
      'Whether the member is told of overdue inspections and issues, and of certificates that expire.',
  }),
  ca_due: z.boolean(),
  ca_due_soon: z.boolean(),
  approval_outcomes: z.boolean(),
  inspection_outcomes: z.boolean(),
  sync_status: z.boolean().meta({
    description:
      'Whether the member is told of syncs that fail or are incomplete, credentials that a vendor refuses, webhooks that were disabled because they fail, and mails that are paused.',
  }),
});

/** The kinds of notifications. A member can switch each one on or off. */
export const NotificationKind = Notifications.keyof();
export type NotificationKind = z.output<typeof NotificationKind>;

export const Preferences = z
  .strictObject({ ui: Ui, notifications: Notifications })
  .meta({ id: 'Preferences', description: 'The caller’s settings. At first every notification is on.' });
export type Preferences = z.output<typeof Preferences>;

export const PreferencesChanges = z
  .strictObject({ ui: Ui, notifications: Notifications.partial() })
  .partial()
  .meta({ id: 'PreferencesChanges' });
export type PreferencesChanges = z.output<typeof PreferencesChanges>;
