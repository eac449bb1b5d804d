import { publicUrl } from '../../shared/base/environment.ts';
import { knownLanguage } from '../../shared/base/i18n/languages.ts';
import { ADMIN_TEXTS } from '../../shared/base/i18n/texts/admin.ts';
import { REPORT_TEXTS } from '../../shared/base/i18n/texts/report.ts';
import { logoOrigin, senderOf } from '../../shared/files/logo.ts';
import { createAdminHandler } from '../../shared/http/admin-handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { page } from '../../shared/http/operation/responses.ts';
import { adminPage } from '../../shared/http/pages/admin-page.ts';
import { HAS_WEB_FILES } from '../../shared/http/pages/web-files.ts';
import { type Whereabouts, whereaboutsOf } from '../../shared/organizations/people/memberships.ts';
import * as ownInvitations from '../../shared/organizations/people/own-invitations.ts';
import { KEY_AREAS } from '../../shared/schemas/api-key.ts';
import { bulkChoices, MAX_BULK_IDS } from '../../shared/schemas/bulk-change.ts';
import { EVENT_TYPES, isSent } from '../../shared/schemas/event-data.ts';

export const operation = defineOperation({
  id: 'showAdmin',
  method: 'GET',
  surface: 'admin',
  path: '/admin',
  alsoAt: ['/admin/{tab}', '/admin/{tab}/{id}'],
  summary: 'Show the admin app',
  success: 200,
  response: page('The frame of the page, in which its program shows a tab.'),
  ...HAS_WEB_FILES,
});

const logoOf = async (chosen: Whereabouts['chosen']) => {
  if (!chosen) return { logoUrl: null, images: [] };
  const { caller, settings } = chosen;
  const [{ logoUrl }, origin] = await Promise.all([senderOf(caller, settings), logoOrigin(caller)]);
  return { logoUrl, images: [origin] };
};

const formsOf = (chosen: Whereabouts['chosen']) => {
  if (!chosen) return null;
  const { date_format, time_format, timezone } = chosen.settings;
  return { date_format, time_format, timezone };
};

export const handler = createAdminHandler(operation, async ({ session, place, ...visit }) => {
  const [{ organizations, chosen }, invitations] = await Promise.all([
    whereaboutsOf(session),
    ownInvitations.list(session, Date.now()),
  ]);
  const { locale = null, timezone = null, name = session.name } = chosen?.member ?? {};
  const zone = timezone ?? chosen?.settings.timezone ?? null;
  const language = knownLanguage(locale ?? '') ?? visit.language;
  return adminPage({
    place,
    base: new URL(publicUrl()).pathname.replace(/\/$/, ''),
    language,
    locale,
    timezone: zone,
    forms: formsOf(chosen),
    person: { name, email: session.email },
    userId: chosen?.member.user_id ?? null,
    organization: chosen?.organization ?? null,
    organizations,
    invitations,
    eventTypes: EVENT_TYPES.filter(isSent),
    keyAreas: KEY_AREAS,
    bulk: bulkChoices(),
    maxBulkIds: MAX_BULK_IDS,
    texts: ADMIN_TEXTS[language],
    words: REPORT_TEXTS[language],
    ...(await logoOf(chosen)),
  });
});
