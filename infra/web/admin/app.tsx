import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { type AdminPlace, headingOf, TAB_GROUPS, tabOf } from '../../../shared/http/pages/admin-data.ts';
import type { Session } from '../../../shared/schemas/session.ts';
import { Failure, read } from './api.ts';
import { choose, showMenu, startFrame } from './frame.ts';
import { useWork } from './hooks.ts';
import { Invitations } from './invitations.tsx';
import { addressOf, page, t } from './page.ts';
import { addressOfPlace, allowed, type Content, type Route, useRoute } from './route.ts';
import { FailureNotice } from './ui/failure.tsx';
import { Heading } from './ui/heading.tsx';
import { Skeleton } from './ui/parts.tsx';
import { Said } from './ui/said.tsx';

const isIn = (group: readonly AdminPlace[], place: AdminPlace): boolean => group.includes(place);

/** What developers look at, which is shown as objects are. */
const EXPLORED: ReadonlySet<AdminPlace> = new Set(['events', 'requests']);

/** Loads the part of the program that shows a place. */
const load = async (place: AdminPlace): Promise<Content> => {
  if (isIn(TAB_GROUPS.settings, place)) return (await import('./tabs/settings.tsx')).content;
  if (isIn(TAB_GROUPS.developers, place) && !EXPLORED.has(place))
    return (await import('./tabs/developers.tsx')).content;
  return (await import('./tabs/explore.tsx')).content;
};

/** What shows a place, once it is loaded. */
const useContent = (place: AdminPlace) => {
  const [loaded, setLoaded] = useState<{ place: AdminPlace; content?: Content }>();
  const get = () =>
    void load(place).then(
      (content) => setLoaded({ place, content }),
      () => setLoaded({ place }),
    );
  useEffect(get, [place]);
  const isOf = loaded?.place === place;
  return {
    content: isOf ? loaded.content : undefined,
    failure: isOf && !loaded.content ? new Failure(0, 'no_reply', '', [], false) : undefined,
    get,
  };
};

const Choice = () => {
  const work = useWork();
  return (
    <>
      <Heading {...t.choose} />
      <FailureNotice failure={work.failure} />
      <ul class="choices">
        {page.organizations.map(({ id, name, role }) => (
          <li key={id}>
            <button type="button" class="second" onClick={() => void work.run(() => choose(id))}>
              <bdi>{name}</bdi>
              <span class="sub">{t.members[role]}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
};

/** What people see who have signed in, and act in no organization. */
const Nowhere = () => {
  const { organizations, invitations, person } = page;
  if (organizations.length > 0)
    return (
      <>
        <Choice />
        <Invitations />
      </>
    );
  const { title, lead } = invitations.length > 0 ? t.invitations : t.nowhere;
  return (
    <>
      <Heading title={title} lead={lead} names={{ email: person.email }} />
      <Invitations />
    </>
  );
};

/** Marks the tab in the list that the server has drawn, and names it in the title of the window. */
const mark = (place: AdminPlace | null): void => {
  const address = place && addressOfPlace(tabOf(place));
  for (const link of document.querySelectorAll<HTMLAnchorElement>('nav a')) {
    if (link.pathname === address) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const { name: whose, role } = page.organization!;
  const name = place ? headingOf(t, place, role).name : t.notFound.title;
  document.title = `${name} · ${whose}`;
};

/**
 * Whether another window has signed somebody else in, or chosen another organization. What this one shows would then be
 * sent to the wrong organization, so it has to be loaded again.
 */
const useSwitched = (): boolean => {
  const [isSwitched, setIsSwitched] = useState(false);
  useEffect(() => {
    const look = async () => {
      if (document.hidden) return;
      const session = await read<Session>('/session').catch(() => undefined);
      if (session)
        setIsSwitched(session.user_id !== page.userId || session.organization?.id !== page.organization?.id);
    };
    const listen = () => void look();
    document.addEventListener('visibilitychange', listen);
    return () => document.removeEventListener('visibilitychange', listen);
  }, []);
  return isSwitched;
};

const Switched = () => (
  <div class="notice warn" role="alert">
    <p>{t.failures.switched}</p>
    <p class="bar">
      <a class="button small" href={addressOf('/admin')}>
        {t.failures.reload}
      </a>
    </p>
  </div>
);

/** The content of a place, below its heading; the page of an object has its own. */
const Place = ({ route }: { route: Route & { place: AdminPlace } }) => {
  const [failure, setFailure] = useState<Failure>();
  const isSwitched = useSwitched();
  const { content: Shown, ...loading } = useContent(route.place);
  useEffect(
    () =>
      startFrame((error) => {
        if (!(error instanceof Failure)) throw error;
        setFailure(error);
      }),
    [],
  );
  const { place, id } = route;
  const { name, lead } = headingOf(t, place, page.organization!.role);
  return (
    <>
      {id === undefined && <Heading key={place} title={name} lead={lead} />}
      {!isSwitched && <Invitations />}
      {isSwitched && <Switched />}
      <FailureNotice failure={failure} />
      <FailureNotice failure={loading.failure} onRetry={loading.get} />
      {!Shown && !loading.failure && <Skeleton />}
      {!isSwitched && Shown && <Shown key={`${place}/${id}`} {...route} />}
    </>
  );
};

const isAllowed = ({ place }: Route): boolean => place !== null && allowed.includes(tabOf(place));

/** What stands in the main part of the page. */
export const App = () => {
  const route = useRoute();
  const { place, id } = route;
  const { organization } = page;
  const mayOpen = isAllowed(route);
  useEffect(() => {
    if (!mayOpen) startFrame(() => undefined);
  }, [mayOpen]);
  // With the page of the tab at once, so that nobody meets a heading beside another tab's mark.
  useLayoutEffect(() => {
    if (organization) mark(place);
    showMenu(false);
  }, [place, id]);
  return (
    <>
      {!organization && <Nowhere />}
      {organization && place === null && <Heading {...t.notFound} />}
      {organization && place !== null && !mayOpen && (
        <Heading {...t.adminsOnly} names={{ organization: organization.name }} />
      )}
      {organization && place !== null && mayOpen && <Place route={{ ...route, place }} />}
      <Said />
    </>
  );
};
