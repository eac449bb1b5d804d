import type { Caller } from '../base/caller.ts';
import { sha256 } from '../base/encoding.ts';
import { publicUrl } from '../base/environment.ts';
import { currentRequest } from '../base/request.ts';
import { ask, standingsOf } from '../db/addresses/addresses.ts';
import { type DeliveredMail, deliverOnce } from '../db/notifications/mails.ts';
import * as organizations from '../db/organization/organizations.ts';
import type { OutboxTask } from '../db/table/entities/machinery.ts';
import type { QuestionTask } from '../db/table/tasks.ts';
import { senderName } from '../domain/notifications/mail.ts';
import { plainName } from '../domain/notifications/text.ts';
import { languageOf } from '../i18n/languages.ts';
import { fill } from '../i18n/plural.ts';
import { PAGE_TEXTS } from '../i18n/texts/pages.ts';
import { compose } from './compose.ts';
import type { MailPage } from './page.ts';
import { sendMail, senderAddress } from './send.ts';

const NOT_ASKED: DeliveredMail = { state: 'refused', detail: 'the address is not asked now' };

const questionPage = (organization: string, locale: string, url: string): MailPage => {
  const language = languageOf(locale);
  const { question } = PAGE_TEXTS[language];
  const names = { organization };
  return {
    language,
    subject: fill(question.subject, names),
    organization,
    logo: null,
    paragraphs: [fill(question.text, names)],
    blocks: [],
    action: { label: question.answer, url },
    hints: [fill(question.ignore, names)],
    reasons: [],
    stop: null,
  };
};

/**
 * Asks an address whether it wants the organization's mails, once however often the task is delivered. All texts are
 * the service's own; the organization chooses only its name, and replies do not reach it.
 * @param row names the mail
 * @throws Error when the mail could not be sent; the next attempt sends it
 */
export const sendQuestion = async (
  caller: Caller,
  row: OutboxTask<'mail'>,
  { address }: QuestionTask,
): Promise<void> => {
  const sender = senderAddress();
  if (sender === undefined) return;
  const identity = { mailId: row.id, recipient: sha256(address), task: row };
  await deliverOnce(caller, identity, async ({ place }) => {
    const [standing] = await standingsOf(caller, [address], row.id);
    if (!standing!.canBeAsked) return NOT_ASKED;
    // A question that waits is asked already: later notices lead to no other one.
    const token = await ask(caller, address, row.id);
    if (token === undefined) return NOT_ASKED;
    const stored = await organizations.get(caller);
    const wait = await place(stored, 'to_others');
    if (wait) return wait;
    const { name, locale } = stored;
    const organization = plainName(name);
    const message = await compose({
      from: { name: senderName(organization), address: sender },
      to: [{ name: '', address }],
      replyTo: null,
      page: questionPage(organization, locale, publicUrl('confirm', token)),
      logo: undefined,
      requestId: currentRequest()?.requestId,
    });
    return sendMail(message, [address], { org_id: caller.org_id });
  });
};
