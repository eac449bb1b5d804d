import type { Caller } from '../base/caller.ts';
import * as contacts from '../db/corrective-actions/contact.ts';
import { subjectsOf } from '../db/notifications/mails.ts';
import * as invitations from '../db/people/invitations.ts';
import type { MailSubject } from '../db/table/tasks.ts';
import type { MailNote } from '../domain/mail/progress.ts';

/** Notes what became of a mail where somebody was promised it. */
export const notePromise = (
  caller: Caller,
  subject: MailSubject,
  decide: (known: MailNote | undefined, now: string) => MailNote | undefined,
): Promise<void> =>
  subject.what === 'invitation'
    ? invitations.noteMail(caller, subject, decide)
    : contacts.noteMail(caller, subject, decide);

/** Notes that a mail was not sent, after the last attempt of its task. It may be repeated. */
export const giveUpPromises = async (caller: Caller, task: MailSubject): Promise<void> => {
  const taken =
    task.what === 'contact_link' ? await subjectsOf(caller, task.link_id, contacts.LINK_RECIPIENT) : [];
  for (const subject of taken.length > 0 ? taken : [task]) {
    await notePromise(caller, subject, (known, at) =>
      known?.error === null ? undefined : { at, error: 'The mail could not be sent. Send it again.' },
    );
  }
};
