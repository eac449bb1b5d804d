import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import { merge } from '../../base/fields.ts';
import { NotificationKind, type Preferences, type PreferencesChanges } from '../../schemas/preferences.ts';
import { change } from '../../table/change.ts';
import type { StoredPreferences } from '../../table/entities/organization.ts';
import { type Key, keys } from '../../table/keys.ts';
import { getRow } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';

const ALL_ON: Preferences['notifications'] = {
  new_assignments: true,
  overdue_inspections: true,
  ca_due: true,
  ca_due_soon: true,
  approval_outcomes: true,
  inspection_outcomes: true,
  sync_status: true,
};

const notificationSettings = (row: StoredPreferences | undefined): Preferences['notifications'] => ({
  ...ALL_ON,
  ...row?.notifications,
});

const toPreferences = (row: StoredPreferences | undefined): Preferences => ({
  ui: row ? (JSON.parse(row.ui) as Preferences['ui']) : {},
  notifications: notificationSettings(row),
});

export const key = (caller: Caller, userId: string): Key<StoredPreferences> =>
  keys.one(caller, 'PREFERENCES', userId);

/** Whether a member wants notifications of a kind. @param row the member's preferences, if it has set any */
export const wants = (row: StoredPreferences | undefined, kind: NotificationKind): boolean =>
  notificationSettings(row)[kind];

/** The kinds of notifications that the caller wants. */
export const wantedKinds = async (caller: Caller): Promise<NotificationKind[]> => {
  const settings = notificationSettings(await getRow(caller, key(caller, caller.user_id)));
  return NotificationKind.options.filter((kind) => settings[kind]);
};

/** The preferences of the caller, or of another member. */
export const get = async (caller: Caller, userId = caller.user_id): Promise<Preferences> =>
  toPreferences(await getRow(caller, key(caller, userId)));

/** Replaces `ui` as a whole, and the given notification settings. */
export const update = (caller: Caller, changes: PreferencesChanges): Promise<Preferences> =>
  change(caller, async () => {
    const ownKey = key(caller, caller.user_id);
    const row = await getRow(caller, ownKey);
    const current = toPreferences(row);
    const next: Preferences = {
      ui: changes.ui ?? current.ui,
      notifications: merge(current.notifications, changes.notifications ?? {}),
    };
    if (isDeepStrictEqual(next, current)) return { writes: [], reply: current };
    const stored = { ...next, ...ownKey, ui: JSON.stringify(next.ui), version: (row?.version ?? 0) + 1 };
    return { writes: [row ? write.replace(stored, row.version) : write.create(stored)], reply: next };
  });
