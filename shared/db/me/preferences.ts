import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import { merge } from '../../base/merge.ts';
import { NotificationKind, type Preferences, type PreferencesChanges } from '../../schemas/preferences.ts';
import { change } from '../table/change.ts';
import { keys } from '../table/keys.ts';
import { getRow, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';

const ALL_ON: Preferences['notifications'] = {
  new_assignments: true,
  overdue_inspections: true,
  ca_due: true,
  ca_due_soon: true,
  approval_outcomes: true,
  inspection_outcomes: true,
  sync_status: true,
};

/** As stored: `ui` as text, for the table nests less deep than JSON may. */
interface StoredPreferences {
  ui: string;
  notifications: Preferences['notifications'];
  version: number;
}

const switched = (row: StoredPreferences | undefined): Preferences['notifications'] => ({
  ...ALL_ON,
  ...row?.notifications,
});

const shown = (row: StoredPreferences | undefined): Preferences => ({
  ui: row ? (JSON.parse(row.ui) as Preferences['ui']) : {},
  notifications: switched(row),
});

const keyOf = (caller: Caller, userId: string) => keys.one(caller, 'PREFERENCES', userId);

export const key = keyOf;

/** Whether a member wants to be told of a kind. @param row of its preferences, where it has chosen any */
export const wants = (row: Row<object> | undefined, kind: NotificationKind): boolean =>
  switched(row as Row<StoredPreferences> | undefined)[kind];

/** The kinds that the caller wants to be told of. */
export const wantedKinds = async (caller: Caller): Promise<NotificationKind[]> => {
  const on = switched(await getRow<StoredPreferences>(caller, keyOf(caller, caller.user_id)));
  return NotificationKind.options.filter((kind) => on[kind]);
};

/** The caller's own, or another member's. */
export const get = async (caller: Caller, userId = caller.user_id): Promise<Preferences> =>
  shown(await getRow<StoredPreferences>(caller, keyOf(caller, userId)));

/** `ui` is replaced as a whole, notifications one by one. */
export const update = (caller: Caller, changes: PreferencesChanges): Promise<Preferences> =>
  change(caller, async () => {
    const key = keyOf(caller, caller.user_id);
    const row = await getRow<StoredPreferences>(caller, key);
    const current = shown(row);
    const next: Preferences = {
      ui: changes.ui ?? current.ui,
      notifications: merge(current.notifications, changes.notifications ?? {}),
    };
    if (isDeepStrictEqual(next, current)) return { writes: [], reply: current };
    const stored = { ...next, ...key, ui: JSON.stringify(next.ui), version: (row?.version ?? 0) + 1 };
    return { writes: [row ? write.replace(stored, row.version) : write.create(stored)], reply: next };
  });
