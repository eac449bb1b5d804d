import * as z from 'zod';
import { readSender } from '../../shared/files/logo.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { page } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { questionPage } from '../../shared/http/pages/address-pages.ts';
import { expectAsked } from '../../shared/reports/rows/share-links.ts';

export const operation = defineOperation({
  id: 'askAddress',
  method: 'GET',
  path: '/confirm/{token}',
  summary: 'Ask whether an address wants mails',
  link: 'confirm',
  visits: { perLink: 100, perAddress: 1_000 },
  params: z.strictObject({ token: z.string() }),
  success: 200,
  response: page('The question, with a button for each answer. To look at it changes nothing.'),
});

export const handler = createPageHandler(operation, async ({ caller, target, language }) => {
  await expectAsked(caller, target);
  return questionPage(language, { sender: await readSender(caller), address: target.address });
});
