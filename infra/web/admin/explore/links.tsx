import { useEffect, useState } from 'preact/hooks';
import type { AdminPlace } from '../../../../shared/pages/admin-data.ts';
import type { ApiKey } from '../../../../shared/schemas/api-key.ts';
import type { Member } from '../../../../shared/schemas/member.ts';
import { read } from '../api.ts';
import { fill } from '../formats.ts';
import { t } from '../page.ts';
import { addressOfPlace } from '../route.ts';
import { Button } from '../ui/parts.tsx';
import { say } from '../ui/said.tsx';
import { pathOf } from './paths.ts';

/** What an object is called: its number and its name, as far as it has them. */
export const titleOf = (object: object): string => {
  const { number, title, name, label } = object as Partial<{
    number: number;
    title: string;
    name: string;
    label: string;
  }>;
  return [number && `#${number}`, title ?? name ?? label].filter(Boolean).join(' ');
};

/** What was read for names. A page that is loaded again reads them again. */
const titles = new Map<string, Promise<string | undefined>>();

const readTitle = (place: AdminPlace, id: string): Promise<string | undefined> => {
  const path = pathOf(place, id);
  const known = titles.get(path) ?? read<object>(path).then(titleOf, () => undefined);
  titles.set(path, known);
  return known;
};

/** What a promise has become; undefined before that. */
const useKept = <Value,>(read: () => Promise<Value>, key: string): Value | undefined => {
  const [kept, setKept] = useState<{ key: string; value: Value }>();
  useEffect(() => {
    let isCurrent = true;
    void read().then((value) => isCurrent && setKept({ key, value }));
    return () => void (isCurrent = false);
  }, [key]);
  return kept?.key === key ? kept.value : undefined;
};

/** A link to an object by its name; by its id while that is not known, or where the object is gone. */
export const LinkTo = ({ place, id, title }: { place: AdminPlace; id: string; title?: string }) => {
  const found = useKept(() => (title ? Promise.resolve(title) : readTitle(place, id)), `${place}/${id}`);
  return (
    <a href={addressOfPlace(place, id)}>
      <bdi>{title || found || id}</bdi>
    </a>
  );
};

interface Somebody {
  name: string;
  isKey: boolean;
}

let everybody: Promise<ReadonlyMap<string, Somebody>> | undefined;

/** Members and keys by their ids. */
const readEverybody = async (): Promise<ReadonlyMap<string, Somebody>> => {
  const [members, keys] = await Promise.all([
    read<Member[]>('/members').catch(() => []),
    read<ApiKey[]>('/api-keys').catch(() => []),
  ]);
  return new Map<string, Somebody>([
    ...members.map(({ user_id, name, role }) => [user_id, { name, isKey: role === 'api' }] as const),
    // Some attributes name a key by its own id, not by its member's.
    ...keys.map(({ id, name }) => [id, { name, isKey: true }] as const),
  ]);
};

const NOBODY: ReadonlyMap<string, Somebody> = new Map();

/** Members and keys by their ids; none before they are read. */
export const usePeople = () => useKept(() => (everybody ??= readEverybody()), 'people') ?? NOBODY;

interface PersonProps {
  id: string | null;
  /** The key by which somebody has acted. */
  via?: string | null | undefined;
  /** Their name where they are no member any more. */
  name?: string | undefined;
  /** What stands for nobody. */
  nobody?: string | undefined;
}

/** A member or a key, with a link to where it is listed. */
export const Person = ({ id, via, name, nobody = '–' }: PersonProps) => {
  const people = usePeople();
  if (!id) return <>{nobody}</>;
  const found = people.get(id);
  const key = via ? people.get(via) : undefined;
  const shown = found?.name ?? name ?? id;
  return (
    <>
      {found ? (
        <a href={addressOfPlace(found.isKey ? 'api-keys' : 'members', undefined, { q: id })}>
          <bdi>{found.isKey ? fill(t.explore.key, { name: shown }) : shown}</bdi>
        </a>
      ) : (
        <bdi>{shown}</bdi>
      )}
      {via && (
        <span class="sub">
          <a href={addressOfPlace('api-keys', undefined, { q: via })}>
            <bdi>{fill(t.explore.key, { name: key?.name ?? via })}</bdi>
          </a>
        </span>
      )}
    </>
  );
};

/** An id, and a button that copies it. */
export const Id = ({ id }: { id: string }) => (
  <span class="id">
    <code dir="ltr">{id}</code>{' '}
    <Button
      kind="plain"
      label={`${t.common.copy}: ${t.explore.id}`}
      onClick={() => void navigator.clipboard.writeText(id).then(() => say(t.common.copied))}
    >
      {t.common.copy}
    </Button>
  </span>
);
