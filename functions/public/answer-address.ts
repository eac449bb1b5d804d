import * as z from 'zod';
import { readSender } from '../../shared/files/logo.ts';
import { webForm } from '../../shared/http/operation/forms.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { page } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { answeredPage } from '../../shared/http/pages/address-pages.ts';
import { takeAnswer } from '../../shared/notices/waiting-mails.ts';
import { acceptOffer, expectAsked } from '../../shared/reports/rows/share-links.ts';

const ANSWERS = { yes: 'confirmed', no: 'refused' } as const;

export const operation = defineOperation({
  id: 'answerAddress',
  method: 'POST',
  path: '/confirm/{token}',
  summary: 'Save whether an address wants mails',
  link: 'confirm',
  visits: { perLink: 100, perAddress: 1_000 },
  params: z.strictObject({ token: z.string() }),
  body: webForm(z.strictObject({ answer: z.enum(['yes', 'no']) })),
  success: 200,
  response: page('Says which answer was saved. The last answer counts.'),
});

export const handler = createPageHandler(operation, async ({ caller, target, token, body, language }) => {
  const sender = await readSender(caller);
  const answer = ANSWERS[body.answer];
  await expectAsked(caller, target);
  await takeAnswer(caller, target.address, answer);
  const report =
    answer === 'confirmed' && target.report ? await acceptOffer(caller, target.report, token) : null;
  return answeredPage(language, answer, { sender, address: target.address }, report);
});
