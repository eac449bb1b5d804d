import type { AdminPlace } from '../../../../shared/http/pages/admin-data.ts';
import type { Content } from '../route.ts';
import { Integrations } from './integrations.tsx';
import { Keys } from './keys.tsx';
import { Webhooks } from './webhooks.tsx';

const TABS: Partial<Record<AdminPlace, () => preact.JSX.Element>> = {
  'api-keys': Keys,
  integrations: Integrations,
  webhooks: Webhooks,
};

/** The tabs for those who connect other systems, which are loaded together. */
export const content: Content = ({ place }) => {
  const Tab = TABS[place]!;
  return <Tab />;
};
