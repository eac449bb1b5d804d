import * as z from 'zod';
import { takeAnswer } from '../../shared/db/notifications/waiting-mails.ts';
import { offeredReportUrl } from '../../shared/db/reports/share-links.ts';
import { webForm } from '../../shared/http/operation/forms.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { page } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { answeredPage } from '../../shared/pages/address-pages.ts';
import { readSender } from '../../shared/storage/logo.ts';

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

export const handler = createPageHandler(operation, async ({ caller, target, body, language }) => {
  const sender = await readSender(caller);
  const answer = ANSWERS[body.answer];
  const isFirst = await takeAnswer(caller, target.address, answer);
  // The first answer alone gets a link to the report: otherwise, no and then yes would make another link after a member
  // has revoked the one before.
  const report =
    isFirst && answer === 'confirmed' && target.report ? await offeredReportUrl(caller, target.report) : null;
  return answeredPage(language, answer, { sender, address: target.address }, report);
});
