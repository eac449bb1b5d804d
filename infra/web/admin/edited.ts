import { useState } from 'preact/hooks';
import { Failure, read, send } from './api.ts';
import { useDraft } from './drafts.ts';
import { type Loaded, useWork, type Work } from './hooks.ts';
import type { Difference } from './ui/conflict.tsx';

/** A field of a form: its label, and its value as people read it. */
export interface FieldText<Fields> {
  label: string;
  show?: (value: Fields[keyof Fields]) => string;
}

interface EditedProps<Resource, Fields> {
  /** Of the draft. */
  name: string;
  /** Below `/app`. */
  path: string;
  loaded: Pick<Loaded<Resource>, 'set'>;
  current: Resource;
  /** Reads it anew; at its own path unless given. */
  fresh?: () => Promise<Resource>;
  toFields: (resource: Resource) => Fields;
  /** The fields that were changed, as the service takes them. */
  toBody: (changes: Partial<Fields>) => object;
  texts: Record<keyof Fields & string, FieldText<Fields>>;
  onSaved: () => void;
}

/** A form for something that has a version. */
export interface Edited<Fields> {
  value: Fields;
  change: (fields: Partial<Fields>) => void;
  isChanged: boolean;
  work: Work;
  save: () => Promise<boolean>;
  /** What somebody else has changed since it was read; undefined unless a save has met that. */
  differences: Difference[] | undefined;
  drop: () => void;
}

/**
 * Lets somebody change a resource, and never overwrites what somebody else has saved since: the version is named, and
 * where it is another one by now, the differences are shown and nothing is sent until the reader decides.
 */
export const useEdited = <Resource extends { version: number }, Fields extends object>({
  name,
  path,
  loaded,
  current,
  fresh = () => read<Resource>(path),
  toFields,
  toBody,
  texts,
  onSaved,
}: EditedProps<Resource, Fields>): Edited<Fields> => {
  const original = toFields(current);
  const draft = useDraft<Fields>(name, original);
  const work = useWork();
  const [differences, setDifferences] = useState<Difference[]>();
  const value: Fields = { ...original, ...draft.changes };

  const compare = async (): Promise<void> => {
    const latest = await fresh();
    const theirs = toFields(latest);
    const textOf = (key: keyof Fields & string, fields: Fields): string => {
      const { show = String } = texts[key];
      return show(fields[key]);
    };
    const keys = Object.keys(texts) as (keyof Fields & string)[];
    setDifferences(
      keys
        .filter((key) => textOf(key, theirs) !== textOf(key, original))
        .map((key) => ({ label: texts[key].label, value: textOf(key, theirs), own: textOf(key, value) })),
    );
    loaded.set(latest);
  };

  const save = () =>
    work.run(async () => {
      try {
        const saved = await send<Resource>('PATCH', path, {
          body: toBody(draft.changes),
          version: current.version,
        });
        draft.drop();
        setDifferences(undefined);
        loaded.set({ ...current, ...saved });
        onSaved();
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'version_mismatch') throw error;
        await compare();
      }
    });

  const drop = () => {
    draft.drop();
    setDifferences(undefined);
    work.forget();
  };
  const isChanged = Object.keys(draft.changes).length > 0;
  return { value, change: draft.change, isChanged, work, save, differences, drop };
};
