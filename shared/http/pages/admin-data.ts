import type { PersonRole } from '../../base/caller.ts';
import type { Language } from '../../base/i18n/languages.ts';
import type { AdminTexts } from '../../base/i18n/texts/admin.ts';
import type { ReportTexts } from '../../base/i18n/texts/report.ts';
import type { BulkChoices, BulkResource } from '../../schemas/bulk-change.ts';
import type { EventType } from '../../schemas/event-data.ts';
import type { Organization } from '../../schemas/organization.ts';
import type { OwnInvitation, OwnOrganization } from '../../schemas/session.ts';

/** The tabs of the admin app, in their order and groups, by the part of their addresses after `/admin/`. */
export const TAB_GROUPS = {
  home: ['home'],
  explore: [
    'numbers',
    'inspections',
    'findings',
    'corrective-actions',
    'reports',
    'issues',
    'templates',
    'schedules',
    'clients',
    'locations',
    'regions',
    'assets',
    'certificates',
    'bulk-changes',
  ],
  developers: ['events', 'requests', 'webhooks', 'api-keys', 'integrations'],
  settings: ['organization', 'members', 'audit-log', 'profile'],
} as const;
export type TabGroup = keyof typeof TAB_GROUPS;
export type AdminTab = (typeof TAB_GROUPS)[TabGroup][number];
export const ADMIN_TABS: readonly AdminTab[] = Object.values(TAB_GROUPS).flat();

/** What has a list and pages, but no tab of its own: the tab that it belongs to. */
const WITHIN = {
  'asset-kinds': 'assets',
  'certificate-kinds': 'certificates',
} as const satisfies Record<string, AdminTab>;
export type AdminPlace = AdminTab | keyof typeof WITHIN;

const isWithin = (place: AdminPlace): place is keyof typeof WITHIN => place in WITHIN;

const LISTS: readonly AdminPlace[] = [...ADMIN_TABS, 'asset-kinds', 'certificate-kinds'];

/** What people of other roles than admin find in the app: what is their own. */
const OWN_TABS: readonly AdminTab[] = ['inspections', 'corrective-actions', 'profile'];

/** The tabs that a role may open. */
export const tabsOf = (role: PersonRole): readonly AdminTab[] => (role === 'admin' ? ADMIN_TABS : OWN_TABS);

/** Where the pages of an object are, with a page for each id. */
const WITH_PAGES: readonly AdminPlace[] = [
  ...TAB_GROUPS.explore.filter((tab) => tab !== 'numbers'),
  'events',
  'asset-kinds',
  'certificate-kinds',
];

/**
 * The place that an address names.
 * @param tab the part of the address after `/admin/`
 * @param id the part after that, where there is one
 * @returns undefined where there is nothing
 */
export const placeOf = (tab: string, id?: string): AdminPlace | undefined => {
  const places: readonly AdminPlace[] = id === undefined ? LISTS : WITH_PAGES;
  return places.find((place) => place === tab);
};

/** The tab that is marked while a place is shown. */
export const tabOf = (place: AdminPlace): AdminTab => (isWithin(place) ? WITHIN[place] : place);

/** The heading of a list. Whoever is no admin sees only what is their own. */
export const headingOf = (
  { tabs, explore }: AdminTexts,
  place: AdminPlace,
  role: PersonRole,
): { name: string; lead: string } => {
  const texts = tabs[place];
  return role === 'admin' || place === 'profile' ? texts : { ...texts, lead: explore.own };
};

/** The data that the page gives to its program. */
export interface AdminData {
  /** The part of addresses before the paths of the service, without a slash at its end; mostly empty. */
  base: string;
  language: Language;
  /** The person's own; null where they have none. */
  locale: string | null;
  /** The person's own, else that of the organization; null outside one. */
  timezone: string | null;
  /** How the organization writes dates and times, and where it counts them; null outside one. */
  forms: Pick<Organization, 'date_format' | 'time_format' | 'timezone'> | null;
  person: { name: string; email: string };
  userId: string | null;
  organization: OwnOrganization | null;
  organizations: readonly OwnOrganization[];
  /** Of organizations that the person may join. */
  invitations: readonly OwnInvitation[];
  /** What webhooks can be sent. */
  eventTypes: readonly EventType[];
  /** What a key can be limited to; see `KEY_AREAS`. */
  keyAreas: readonly string[];
  /** What can be done to the rows of each list in bulk. */
  bulk: Readonly<Record<BulkResource, BulkChoices>>;
  /** Rows that a bulk change can name. */
  maxBulkIds: number;
  texts: AdminTexts;
  /** The words for what is inspected, which reports have as well. */
  words: ReportTexts;
}
