import * as z from 'zod';
import { readSender } from '../../shared/files/logo.ts';
import { webForm } from '../../shared/http/operation/forms.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { page } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { stoppedPage } from '../../shared/http/pages/address-pages.ts';
import { takeAnswer } from '../../shared/notices/waiting-mails.ts';

export const operation = defineOperation({
  id: 'stopMails',
  method: 'POST',
  path: '/stop/{token}',
  summary: 'Stop all mails to an address',
  description:
    'Mail programs call it themselves (RFC 8058): what their form says beside that is not looked at.',
  link: 'stop',
  visits: { perLink: 100, perAddress: 1_000 },
  params: z.strictObject({ token: z.string() }),
  body: webForm(z.looseObject({})),
  success: 200,
  response: page('Says that nothing more will be sent.'),
});

export const handler = createPageHandler(operation, async ({ caller, target, language }) => {
  const sender = await readSender(caller);
  await takeAnswer(caller, target.address, 'refused');
  return stoppedPage(language, { sender, address: target.address });
});
