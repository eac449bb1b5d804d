import { useState } from 'preact/hooks';
import { page } from './page.ts';

/*
 * What somebody has entered outlives a reload and a sign-in, until it is saved or given up. It stays in this window, and is
 * theirs alone: nobody who signs in here later finds it. Secrets are never entered into a draft.
 */

const keyOf = (name: string): string => `draft ${page.organization?.id} ${page.userId} ${name}`;

const stored = <Fields>(name: string): Partial<Fields> | undefined => {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(name)) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
};

const store = (name: string, fields: object): void => {
  try {
    if (Object.keys(fields).length > 0) sessionStorage.setItem(keyOf(name), JSON.stringify(fields));
    else sessionStorage.removeItem(keyOf(name));
  } catch {
    // A window that may store nothing loses its drafts when it is closed.
  }
};

/** Whether something was entered in a form that has neither been saved nor given up. */
export const hasDraft = (name: string): boolean => stored(name) !== undefined;

export const dropDraft = (name: string): void => store(name, {});

/** The fields that somebody has changed, of a form by that name. */
export interface Draft<Fields> {
  changes: Partial<Fields>;
  /** Changes some of them. A value that is the original one is no change. */
  change: (fields: Partial<Fields>) => void;
  drop: () => void;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** @param original the values before any change */
export const useDraft = <Fields extends object>(name: string, original: Fields): Draft<Fields> => {
  const [changes, setChanges] = useState<Partial<Fields>>(() => stored<Fields>(name) ?? {});
  return {
    changes,
    change: (fields) =>
      setChanges((before) => {
        const entries = Object.entries({ ...before, ...fields }).filter(
          ([key, value]) => !isSame(value, original[key as keyof Fields]),
        );
        const after = Object.fromEntries(entries) as Partial<Fields>;
        store(name, after);
        return after;
      }),
    drop: () => {
      dropDraft(name);
      setChanges({});
    },
  };
};
