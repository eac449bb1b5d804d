import { ApiError } from '../base/api-error.ts';
import type { Caller } from '../base/caller.ts';
import { sha256 } from '../base/encoding.ts';
import { publicUrl } from '../base/environment.ts';
import { fill } from '../base/i18n/plural.ts';
import { PAGE_TEXTS } from '../base/i18n/texts/pages.ts';
import { timeAfter } from '../base/time.ts';
import { readerOf } from '../domain/mail/reader.ts';
import { plainName } from '../domain/notifications/text.ts';
import { inspectionRecords } from '../inspections/rows/inspection-records.ts';
import { type DeliveredMail, deliverOnce } from '../notices/mails.ts';
import { ask, OFFER_MS, standingsOf, withdraw } from '../organizations/addresses/addresses.ts';
import { isEnded } from '../organizations/addresses/questions.ts';
import * as organizations from '../organizations/organizations.ts';
import { isStanding, offer } from '../reports/rows/share-links.ts';
import type { OutboxTask } from '../table/entities/machinery.ts';
import type { LinkTargets, StoredOrganization } from '../table/entities/organization.ts';
import { isOutage } from '../table/retry.ts';
import type { QuestionTask } from '../table/tasks.ts';
import type { Letter } from './letter.ts';
import { plainOrganization, sendOutside } from './outside.ts';
import { senderAddress } from './send.ts';

const NOT_ASKED: DeliveredMail = { state: 'refused', detail: 'the address is not asked now' };

/** Notes an offer. @returns false when a member has ended it, or there is no such report any more */
const mayOffer = (caller: Caller, offered: LinkTargets['share'], address: string): Promise<boolean> =>
  offer(caller, offered, address).catch((error: unknown) => {
    if (isOutage(error) || !(error instanceof ApiError)) throw error;
    return false;
  });

/** Asks whether the address wants notifications. */
const questionLetter = (organization: StoredOrganization, url: string): Letter => {
  const { language } = readerOf(organization);
  const { question } = PAGE_TEXTS[language];
  const names = { organization: organization.name };
  return {
    language,
    subject: fill(question.subject, names),
    paragraphs: [fill(question.text, names)],
    blocks: [],
    action: { label: question.answer, url },
    hints: [fill(question.ignore, names)],
    reasons: [],
    isOurs: true,
  };
};

/** Offers a report to the address, by the name of its inspection. */
const offerLetter = (organization: StoredOrganization, report: string, url: string): Letter => {
  const { language, texts, date } = readerOf(organization);
  const names = { organization: organization.name, report: plainName(report) };
  return {
    language,
    subject: fill(texts.subject, { name: organization.name, what: PAGE_TEXTS[language].share.title }),
    paragraphs: [fill(texts.report.offer, names)],
    blocks: [],
    action: { label: texts.report.open, url },
    hints: [fill(texts.report.linkEnds, { date: date(timeAfter(new Date().toISOString(), OFFER_MS)) })],
    reasons: [],
    isOurs: true,
  };
};

/**
 * Asks an address whether it wants the organization's mails, or offers it a report, once however often the task is
 * delivered. Where a worker has died, the mail may go out twice, with links that both work and lead to the same; an offer
 * that may have gone out counts, also when it was ended meanwhile. All texts are the service's own; the organization
 * chooses only its name and that of the inspection, and replies do not reach it.
 * @param row names the mail
 * @throws Error when the mail could not be sent; the next attempt sends it
 */
export const sendQuestion = async (
  caller: Caller,
  row: OutboxTask<'mail'>,
  { address, report, about }: QuestionTask,
): Promise<void> => {
  if (senderAddress() === undefined) return;
  const identity = { mailId: row.id, recipient: sha256(address), task: row };
  await deliverOnce(caller, identity, async ({ place, is_in_doubt }) => {
    const givenUp = async (): Promise<DeliveredMail> => {
      await withdraw(caller, address, row.id, is_in_doubt);
      return NOT_ASKED;
    };
    const [standing] = await standingsOf(caller, [address], row.id);
    if (!(report ? standing!.canBeOffered : standing!.canBeAsked)) return givenUp();
    const inspection = report && (await inspectionRecords.find(caller, report.inspection_id));
    if (report && !inspection) return givenUp();
    // A question that waits is asked already: later notices lead to no other one.
    const offered = report && { ...report, share_link_id: row.id };
    const token = await ask(caller, address, row.id, { report: offered, about });
    if (token === undefined) return givenUp();
    if (offered && !(await mayOffer(caller, offered, address))) return givenUp();
    const stored = await organizations.get(caller);
    const wait = await place(stored, 'to_others');
    // A member can end the question until here, also one that waits from now on.
    if (offered ? !(await isStanding(caller, offered)) : await isEnded(caller, row.id)) return givenUp();
    if (wait) return wait;
    const organization = plainOrganization(stored);
    const url = publicUrl('confirm', token);
    const letter = inspection
      ? offerLetter(organization, inspection.name, url)
      : questionLetter(organization, url);
    return sendOutside(caller, organization, { name: '', address }, letter, {});
  });
};
