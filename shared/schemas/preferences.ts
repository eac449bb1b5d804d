import * as z from 'zod';

/** Bytes of JSON. */
const LARGEST_UI = 64 * 1024;

const Ui = z
  .record(z.string(), z.unknown())
  .refine((ui) => Buffer.byteLength(JSON.stringify(ui)) <= LARGEST_UI, {
    error: `Value error, should have at most ${LARGEST_UI} bytes of JSON`,
  })
  .meta({ description: 'Whatever a client wants to remember, at most 64 KB of JSON.' });

const Notifications = z.strictObject({
  new_assignments: z.boolean(),
  overdue_inspections: z.boolean(),
  ca_due: z.boolean(),
  ca_due_soon: z.boolean(),
  approval_outcomes: z.boolean(),
  inspection_outcomes: z.boolean(),
  sync_status: z.boolean(),
});

/** What a member can be told of, each kind switched on or off by itself. */
export const NotificationKind = Notifications.keyof();
export type NotificationKind = z.output<typeof NotificationKind>;

export const Preferences = z
  .strictObject({ ui: Ui, notifications: Notifications })
  .meta({ id: 'Preferences', description: 'What the caller has chosen. Every notification is on at first.' });
export type Preferences = z.output<typeof Preferences>;

export const PreferencesChanges = z
  .strictObject({ ui: Ui, notifications: Notifications.partial() })
  .partial()
  .meta({ id: 'PreferencesChanges' });
export type PreferencesChanges = z.output<typeof PreferencesChanges>;
