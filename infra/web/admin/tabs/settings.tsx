import type { AdminPlace } from '../../../../shared/http/pages/admin-data.ts';
import type { Content } from '../route.ts';
import { Audit } from './audit.tsx';
import { Members } from './members.tsx';
import { OrganizationTab } from './organization.tsx';
import { Profile } from './profile.tsx';

const TABS: Partial<Record<AdminPlace, () => preact.JSX.Element>> = {
  'audit-log': Audit,
  members: Members,
  organization: OrganizationTab,
  profile: Profile,
};

/** The tabs with settings, which are loaded together. */
export const content: Content = ({ place }) => {
  const Tab = TABS[place]!;
  return <Tab />;
};
