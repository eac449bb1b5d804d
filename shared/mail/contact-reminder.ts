import type { Caller } from '../base/caller.ts';
import { publicUrl } from '../base/environment.ts';
import { fill, pluralText } from '../base/i18n/plural.ts';
import { REPORT_TEXTS } from '../base/i18n/texts/report.ts';
import { nameOf } from '../domain/contact-task.ts';
import { pathText, type TaskLine } from '../domain/contact-tasks.ts';
import type { MailReader } from '../domain/mail/reader.ts';
import { shortName } from '../domain/notifications/text.ts';
import { postpone, remindedTasks } from '../inspections/corrective-actions/contact-reminders.ts';
import { type ContactTask, newTaskLink, taskLines } from '../inspections/corrective-actions/contact-tasks.ts';
import { LINK_RECIPIENT } from '../inspections/corrective-actions/contact.ts';
import { type DeliveredMail, deliverOnce } from '../notices/mails.ts';
import type { OutboxTask } from '../table/entities/machinery.ts';
import type { StoredOrganization } from '../table/entities/organization.ts';
import type { ContactReminderTask } from '../table/tasks.ts';
import { type ContactLetter, descriptionOf, mailContact } from './contact-mail.ts';
import { type Block, knownFacts, newBlock } from './page.ts';

const NOTHING_DUE: DeliveredMail = { state: 'refused', detail: 'nothing was due any more' };

/** Tasks in one mail. The page that it leads to has all of them. */
const MAX_TASKS = 40;

const blockOf = (
  { language, texts, dayIn }: MailReader,
  task: TaskLine,
  assignee: string,
  url: string,
  more: string | null,
): Block => {
  const report = REPORT_TEXTS[language];
  const facts = [
    [texts.labels.location, pathText(task.place)],
    [texts.labels.due, task.due_at && dayIn(task.timezone, task.due_at)],
    [report.concerns, task.finding.label],
    [report.assignee, assignee],
  ] as const;
  return newBlock({
    title: shortName(task.title),
    url,
    status: task.is_overdue ? report.overdue : null,
    facts: [...descriptionOf(language, task), ...knownFacts(facts)],
    more,
  });
};

/** What a reminder of these tasks says: each with its own link, and a link to all. */
const letterOf = async (
  caller: Caller,
  organization: StoredOrganization,
  reader: MailReader,
  tasks: readonly ContactTask[],
): Promise<ContactLetter> => {
  const { texts, language } = reader;
  const actions = new Map(tasks.map(({ action }) => [action.id, action]));
  const lines = await taskLines(caller, tasks, organization, new Date().toISOString());
  const shown = lines.slice(0, MAX_TASKS);
  const rest = lines.length - shown.length;
  const blocks: Block[] = [];
  for (const line of shown) {
    const action = actions.get(line.id)!;
    const url = publicUrl('c', await newTaskLink(caller, { action }));
    const isLast = blocks.length === shown.length - 1;
    const more = isLast && rest > 0 ? pluralText(language, texts.more, rest) : null;
    blocks.push(blockOf(reader, line, nameOf(action.contact), url, more));
  }
  const what = fill(texts.contactReminder.subject, {
    what: pluralText(language, texts.actions, lines.length),
  });
  const [first] = tasks.map(({ action }) => action.contact_link.expires_at).toSorted();
  return {
    subject: fill(texts.subject, { name: organization.name, what }),
    paragraphs: [fill(texts.contactReminder.text, { organization: organization.name })],
    blocks,
    action: { label: texts.contactReminder.all, url: `${blocks[0]!.url}/tasks` },
    images: [],
    reason: fill(texts.contactLink.reason, { organization: organization.name }),
    expires_at: first!,
  };
};

/**
 * Reminds a contact of its tasks that are due soon or overdue, once however often the task is delivered.
 * @param row sends the mail, if it has to wait
 * @throws Error when the mail could not be sent; the next attempt sends it
 */
export const sendContactReminder = async (
  caller: Caller,
  row: OutboxTask<'mail'>,
  { reminder_id, address }: ContactReminderTask,
): Promise<void> => {
  const identity = { mailId: reminder_id, recipient: LINK_RECIPIENT, task: row };
  const outcome = await deliverOnce(caller, identity, async ({ place }) => {
    const tasks = await remindedTasks(caller, address, new Date().toISOString());
    const contact = tasks[0]?.action.contact;
    if (!contact?.email) return NOTHING_DUE;
    const to = { name: contact.name, email: contact.email };
    return mailContact(caller, to, identity, place, (organization, reader) =>
      letterOf(caller, organization, reader, tasks),
    );
  });
  if (outcome?.send_after !== undefined) await postpone(caller, address, outcome.send_after);
};
