import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { filledParts } from '../../../shared/i18n/fill.ts';
import { type AdminTab, isTab, tabsOf } from '../../../shared/pages/admin-data.ts';
import type { Session } from '../../../shared/schemas/session.ts';
import { Failure, read } from './api.ts';
import { choose, startFrame } from './frame.ts';
import { useWork } from './hooks.ts';
import { Invitations } from './invitations.tsx';
import { addressOf, page, t } from './page.ts';
import { Audit } from './tabs/audit.tsx';
import { Integrations } from './tabs/integrations.tsx';
import { Keys } from './tabs/keys.tsx';
import { Members } from './tabs/members.tsx';
import { OrganizationTab } from './tabs/organization.tsx';
import { Profile } from './tabs/profile.tsx';
import { Webhooks } from './tabs/webhooks.tsx';
import { FailureNotice } from './ui/failure.tsx';
import { Said } from './ui/said.tsx';

const TABS: Record<AdminTab, () => preact.JSX.Element> = {
  'api-keys': Keys,
  webhooks: Webhooks,
  members: Members,
  organization: OrganizationTab,
  integrations: Integrations,
  'audit-log': Audit,
  profile: Profile,
};

const allowed = page.organization ? tabsOf(page.organization.role) : [];

/** The tab of an address; the first one where it names none. */
const tabAt = (pathname: string): AdminTab => {
  const [, named] = pathname.slice(page.base.length).split('/').filter(Boolean);
  return isTab(named) ? named : (allowed[0] ?? 'profile');
};

/** A heading, which gets the focus when another tab is opened, and a line that says what the tab is for. */
const Heading = ({
  title,
  lead,
  names = {},
}: {
  title: string;
  lead: string;
  names?: Record<string, string>;
}) => (
  <>
    <h1 tabIndex={-1}>{title}</h1>
    <p class="lead">
      {filledParts<preact.JSX.Element>(
        lead,
        Object.fromEntries(Object.entries(names).map(([name, value]) => [name, <bdi>{value}</bdi>])),
      )}
    </p>
  </>
);

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
const markTab = (tab: AdminTab): void => {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('nav a')) {
    if (tabAt(link.pathname) === tab) {
      link.setAttribute('aria-current', 'page');
      link.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    } else link.removeAttribute('aria-current');
  }
  document.title = `${t.tabs[tab].name} · ${page.organization!.name}`;
};

/** Opens tabs without loading the page again; the history of the browser works as ever. */
const useTab = (): AdminTab => {
  const [tab, setTab] = useState(() => tabAt(location.pathname));
  const isFirst = useRef(true);
  useEffect(() => {
    const nav = document.querySelector('nav');
    const open = (event: Event) => {
      const { button, metaKey, ctrlKey, shiftKey, altKey } = event as MouseEvent;
      const link = (event.target as Element).closest('a');
      if (!link || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
      event.preventDefault();
      if (link.pathname !== location.pathname) history.pushState(null, '', link.href);
      setTab(tabAt(link.pathname));
    };
    const move = () => setTab(tabAt(location.pathname));
    nav?.addEventListener('click', open);
    addEventListener('popstate', move);
    return () => {
      nav?.removeEventListener('click', open);
      removeEventListener('popstate', move);
    };
  }, []);
  // With the page of the tab at once, so that nobody meets a heading beside another tab's mark.
  useLayoutEffect(() => {
    if (allowed.includes(tab)) markTab(tab);
    if (!isFirst.current) document.querySelector<HTMLElement>('h1')?.focus();
    isFirst.current = false;
  }, [tab]);
  return tab;
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

const Tab = ({ tab }: { tab: AdminTab }) => {
  const [failure, setFailure] = useState<Failure>();
  const isSwitched = useSwitched();
  useEffect(
    () =>
      startFrame((error) => {
        if (!(error instanceof Failure)) throw error;
        setFailure(error);
      }),
    [],
  );
  const { name, lead } = t.tabs[tab];
  const Content = TABS[tab];
  return (
    <>
      <Heading title={name} lead={lead} />
      {!isSwitched && <Invitations />}
      {isSwitched && <Switched />}
      <FailureNotice failure={failure} />
      {!isSwitched && <Content key={tab} />}
    </>
  );
};

/** What stands in the main part of the page. */
export const App = () => {
  const tab = useTab();
  const { organization } = page;
  useEffect(() => {
    if (!allowed.includes(tab)) startFrame(() => undefined);
  }, [tab]);
  return (
    <>
      {!organization && <Nowhere />}
      {organization && !allowed.includes(tab) && (
        <Heading {...t.adminsOnly} names={{ organization: organization.name }} />
      )}
      {organization && allowed.includes(tab) && <Tab tab={tab} />}
      <Said />
    </>
  );
};
