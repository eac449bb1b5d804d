import * as z from 'zod';
import { senderOf } from '../../shared/files/logo.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { page } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { sharePage } from '../../shared/http/pages/share-page.ts';
import { sharedFileUrl } from '../../shared/reports/files.ts';
import { countView, openShared } from '../../shared/reports/rows/share-links.ts';

export const operation = defineOperation({
  id: 'getSharedReport',
  method: 'GET',
  path: '/s/{token}',
  summary: 'Show a shared report',
  link: 'share',
  visits: { perLink: 1_000, perAddress: 2_000, isShared: true },
  params: z.strictObject({ token: z.string() }),
  success: 200,
  response: page('What the report is, with its PDF.'),
});

export const handler = createPageHandler(operation, async ({ caller, target, token, language }) => {
  const { report, inspection, organization, link } = await openShared(caller, target);
  await countView(caller, target);
  return sharePage(language, {
    sender: await senderOf(caller, organization),
    timezone: organization.timezone,
    inspection,
    expiresAt: link.expires_at,
    isDraft: report.is_draft,
    file:
      report.ready_at === null
        ? null
        : {
            path: `${token}/report.pdf`,
            origin: new URL(await sharedFileUrl(caller, { report, inspection }, 'inline')).origin,
            readyAt: report.ready_at,
            pages: report.page_count!,
            bytes: report.size_bytes!,
          },
  });
});
