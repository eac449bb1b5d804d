import { useEffect, useState } from 'preact/hooks';
import { type AdminPlace, tabOf } from '../../../../shared/http/pages/admin-data.ts';
import type { ApiKey } from '../../../../shared/schemas/api-key.ts';
import type { BulkChange } from '../../../../shared/schemas/bulk-change.ts';
import type { Member } from '../../../../shared/schemas/member.ts';
import type { Report } from '../../../../shared/schemas/reports/report.ts';
import { read } from '../api.ts';
import { fill, numberText } from '../formats.ts';
import { page, t, words } from '../page.ts';
import { addressOfPlace, allowed } from '../route.ts';
import { Button } from '../ui/parts.tsx';
import { say } from '../ui/said.tsx';
import { bulkTitle } from './bulk/words.ts';
import { pathOf } from './paths.ts';

/** What an object is called: its number and its name, as far as it has them. Numbers of certificates are texts. */
export const titleOf = (object: object): string => {
  const { number, title, name, label } = object as Partial<{
    number: number | string;
    title: string;
    name: string;
    label: string;
  }>;
  return [typeof number === 'number' ? `#${number}` : number, title ?? name ?? label]
    .filter(Boolean)
    .join(' ');
};

/** What a report is called, which has no name of its own. */
export const versionOf = ({ version }: Pick<Report, 'version'>): string =>
  fill(t.explore.version, { n: numberText(version) });

/** What an object at a place is called. */
export const titleAt = (place: AdminPlace, object: object): string => {
  if (place === 'bulk-changes') return bulkTitle(object as BulkChange);
  return place === 'reports' ? `${words.kind}: ${versionOf(object as Report)}` : titleOf(object);
};

/** What was read for names. A page that is loaded again reads them again. */
const titles = new Map<string, Promise<string | undefined>>();

const readTitle = (place: AdminPlace, id: string): Promise<string | undefined> => {
  const path = pathOf(place, id);
  const known = titles.get(path) ?? read<object>(path).then((object) => titleAt(place, object));
  titles.set(path, known);
  return known.catch(() => {
    // What is gone stays gone, but a busy service answers the next time.
    titles.delete(path);
    return undefined;
  });
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

/** Whether the person may open the pages of a place. */
export const mayOpen = (place: AdminPlace): boolean => allowed.includes(tabOf(place));

/** The name of an object; undefined while it is not known, or where the object is gone. */
export const useTitle = (place: AdminPlace, id: string, title?: string): string | undefined =>
  useKept(() => (title ? Promise.resolve(title) : readTitle(place, id)), `${place}/${id}`);

/** A link to an object by its name; by its id while that is not known, or where the object is gone. */
export const LinkTo = ({ place, id, title }: { place: AdminPlace; id: string; title?: string }) => {
  const found = useTitle(place, id, title);
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
  const { organization, userId, person } = page;
  // Whoever is no admin knows themselves.
  if (organization!.role !== 'admin') return new Map([[userId!, { name: person.name, isKey: false }]]);
  const [members, keys] = await Promise.all([read<Member[]>('/members'), read<ApiKey[]>('/api-keys')]);
  return new Map<string, Somebody>([
    ...members.map(({ user_id, name, role }) => [user_id, { name, isKey: role === 'api' }] as const),
    // Some attributes name a key by its own id, not by its member's.
    ...keys.map(({ id, name }) => [id, { name, isKey: true }] as const),
  ]);
};

const NOBODY: ReadonlyMap<string, Somebody> = new Map();

/** Everybody, read once; whoever asks after a failure reads them again. */
const knownPeople = (): Promise<ReadonlyMap<string, Somebody>> =>
  (everybody ??= readEverybody()).catch(() => {
    everybody = undefined;
    return NOBODY;
  });

/** Members and keys by their ids; none before they are read. */
export const usePeople = () => useKept(knownPeople, 'people') ?? NOBODY;

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
      {found && mayOpen('members') ? (
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

/** A request of a key, with a link to what is known of it. */
export const RequestLink = ({ id }: { id: string }) => (
  <a href={addressOfPlace('requests', undefined, { id })}>
    <code dir="ltr">{id}</code>
  </a>
);

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
