import * as z from 'zod';
import { publicUrl } from '../../shared/base/environment.ts';
import { knownLanguage } from '../../shared/base/i18n/languages.ts';
import { HIDDEN_ID, shownId } from '../../shared/domain/hidden-id.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { redirect } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { linkToTask } from '../../shared/inspections/corrective-actions/contact-tasks.ts';
import { openContactLink } from '../../shared/inspections/corrective-actions/contact.ts';

export const operation = defineOperation({
  id: 'openContactTask',
  method: 'GET',
  path: '/c/{token}/task',
  summary: 'Open one of the open corrective actions of a contact',
  link: 'action',
  visits: { perLink: 300, perAddress: 1_000 },
  params: z.strictObject({ token: z.string() }),
  query: z.object({ id: z.string().regex(HIDDEN_ID), language: z.string().max(100).optional() }),
  success: 302,
  response: redirect('Leads to the page of the action, by a link of its own.'),
});

export const handler = createPageHandler(operation, async ({ caller, target, token, query }) => {
  const opened = await openContactLink(caller, target);
  const now = new Date().toISOString();
  const id = shownId(opened.link.form_secret, query.id);
  const own = id === target.action_id ? token : await linkToTask(caller, opened, id, now);
  const language = knownLanguage(query.language ?? '');
  return { location: `${publicUrl('c', own)}${language ? `?language=${language}` : ''}` };
});
