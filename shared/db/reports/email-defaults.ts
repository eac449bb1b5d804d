import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { placeholderValues, readerOf } from '../../domain/mail/reader.ts';
import { fillPlaceholders } from '../../schemas/reports/placeholders.ts';
import type { ReportSendDefaults } from '../../schemas/reports/report-email.ts';
import type { StoredInspection } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { getRow, getRows } from '../table/rows.ts';

/** The mail of an inspection's report: what it says if the request says nothing, and how placeholders are filled. */
export interface EmailDefaults extends ReportSendDefaults {
  /** Fills the placeholders of a text of the request. */
  fill: (text: string) => string;
}

/**
 * The mail of an inspection's report by the client's contact, the family's settings and the layout. Calls: the rows that
 * the inspection names, and the family's default layout if there is one and the request names none.
 * @param layoutId of the family's layouts; null for its default
 * @throws ApiError 400 naming `layout_id`
 */
export const emailDefaults = async (
  caller: Caller,
  inspection: StoredInspection,
  layoutId: string | null,
): Promise<EmailDefaults> => {
  const { client_account_id, location_id, template_id, template_family_id: familyId } = inspection;
  const [organization, template, family, client, location, named] = await getRows(caller, [
    keys.organization(caller),
    keys.one(caller, 'TEMPLATE', template_id),
    keys.one(caller, 'FAMILY', familyId),
    client_account_id === null ? undefined : keys.one(caller, 'CLIENT', client_account_id),
    location_id === null ? undefined : keys.one(caller, 'LOCATION', location_id),
    layoutId === null ? undefined : keys.layout(caller, familyId, layoutId),
  ]);
  if (layoutId !== null && !named) throw errors.referenceNotFound('layout_id');
  const defaultId = family?.settings.default_layout_id ?? null;
  const layout =
    named ??
    (defaultId === null ? undefined : await getRow(caller, keys.layout(caller, familyId, defaultId)));
  const { name, locale, timezone, time_format, reply_to_email } = organization!;
  const reader = readerOf({ locale: layout?.language ?? locale, timezone, time_format });
  const values = placeholderValues(
    {
      inspection,
      client: client?.name ?? null,
      location: location?.name ?? null,
      // While an inspection exists, its template is not deleted.
      template: template!.name,
      organization: name,
    },
    reader,
  );
  const fill = (text: string): string => fillPlaceholders(text, values);
  const { report } = reader.texts;
  const to = client?.contact.email ? [client.contact.email] : [];
  const isNew = (address: string) => !to.some((known) => known.toLowerCase() === address.toLowerCase());
  return {
    to,
    cc: (family?.settings.notifications.on_completed.emails ?? []).filter(isNew),
    reply_to: reply_to_email,
    subject: fill(layout?.email_template.subject ?? report.subject),
    body: fill(layout?.email_template.body ?? report.body),
    layout_id: layout?.id ?? null,
    format: 'pdf',
    fill,
  };
};
