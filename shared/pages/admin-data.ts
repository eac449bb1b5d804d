import type { PersonRole } from '../base/caller.ts';
import type { Language } from '../i18n/languages.ts';
import type { AdminTexts } from '../i18n/texts/admin.ts';
import type { EventType } from '../schemas/event-data.ts';
import type { OwnOrganization } from '../schemas/session.ts';

/** The tabs of the admin app, in their order, by the last part of their addresses. */
export const ADMIN_TABS = [
  'api-keys',
  'webhooks',
  'members',
  'organization',
  'integrations',
  'audit-log',
  'profile',
] as const;
export type AdminTab = (typeof ADMIN_TABS)[number];

/** The tabs that a role may open. */
export const tabsOf = (role: PersonRole): readonly AdminTab[] =>
  role === 'admin' ? ADMIN_TABS : ['profile'];

export const isTab = (text: string | undefined): text is AdminTab => ADMIN_TABS.some((tab) => tab === text);

/** The data that the page gives to its program. */
export interface AdminData {
  /** The part of addresses before the paths of the service, without a slash at its end; mostly empty. */
  base: string;
  language: Language;
  /** The person's own settings; null where they have none. */
  locale: string | null;
  timezone: string | null;
  person: { name: string; email: string };
  userId: string | null;
  organization: OwnOrganization | null;
  organizations: readonly OwnOrganization[];
  /** What webhooks can be sent. */
  eventTypes: readonly EventType[];
  /** What a key can be limited to; see `KEY_AREAS`. */
  keyAreas: readonly string[];
  texts: AdminTexts;
}
