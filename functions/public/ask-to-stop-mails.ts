import * as z from 'zod';
import { readSender } from '../../shared/files/logo.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { page } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { stopPage } from '../../shared/http/pages/address-pages.ts';

export const operation = defineOperation({
  id: 'askToStopMails',
  method: 'GET',
  path: '/stop/{token}',
  summary: 'Ask whether all mails to an address shall stop',
  link: 'stop',
  visits: { perLink: 100, perAddress: 1_000 },
  params: z.strictObject({ token: z.string() }),
  success: 200,
  response: page('The question, with one button. To look at it changes nothing.'),
});

export const handler = createPageHandler(operation, async ({ caller, target, language }) =>
  stopPage(language, { sender: await readSender(caller), address: target.address }),
);
