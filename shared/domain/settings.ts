import { isDeepStrictEqual } from 'node:util';
import { type Caller, isKey } from '../base/caller.ts';
import * as errors from '../base/errors.ts';

/** Settings that a change gives another value, by their paths (`settings.approval.allow_api`). */
export type SettingChanges = Record<string, { from: unknown; to: unknown }>;

/**
 * Settings that decide who may do what. A key may not change them, because it could give itself a right that nobody
 * granted to it. All others apply to people and keys alike, and grant nothing: a family without an approval step leads
 * to inspections that nobody has approved, and a correction leaves its revisions in every mode.
 */
const RIGHTS: ReadonlySet<string> = new Set([
  'four_eyes_verification',
  'max_key_days',
  'settings.approval.allow_api',
  'settings.approval.four_eyes',
  'settings.approval.signed_in_only',
]);

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The settings that differ. Objects are compared field by field, lists as a whole. */
export const settingChanges = (before: object, after: object): SettingChanges => {
  const changes: SettingChanges = {};
  const compare = (from: object, to: object, path: string[]): void => {
    for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
      const [old, next] = [from, to].map((settings) => (settings as Record<string, unknown>)[name]);
      const place = [...path, name];
      if (isObject(old) && isObject(next)) compare(old, next, place);
      else if (!isDeepStrictEqual(old, next))
        changes[place.join('.')] = { from: old ?? null, to: next ?? null };
    }
  };
  compare(before, after, []);
  return changes;
};

/** @throws ApiError 403 when a key changes a setting that grants rights */
export const checkRights = (caller: Caller, changes: SettingChanges): void => {
  const rights = Object.keys(changes).filter((path) => RIGHTS.has(path));
  if (isKey(caller) && rights.length > 0) throw errors.settingNotForKeys(...rights);
};
