import type { Caller } from '../base/caller.ts';
import type { MailNote } from '../domain/mail/progress.ts';
import * as signatureLinks from '../inspections/answers/signature-links.ts';
import * as contacts from '../inspections/corrective-actions/contact.ts';
import { subjectsOf } from '../notices/mails.ts';
import * as invitations from '../organizations/people/invitations.ts';
import * as digests from '../places/client-accounts/digests.ts';
import type { MailSubject } from '../table/tasks.ts';

/** Notes what became of a mail where somebody was promised it. */
export const notePromise = (
  caller: Caller,
  subject: MailSubject,
  decide: (known: MailNote | undefined, now: string) => MailNote | undefined,
): Promise<void> => {
  switch (subject.what) {
    case 'invitation':
      return invitations.noteMail(caller, subject, decide);
    case 'contact_link':
      return contacts.noteMail(caller, subject, decide);
    case 'signature_link':
      return signatureLinks.noteMail(caller, subject, decide);
    case 'client_digest':
      return digests.noteMail(caller, subject, decide);
  }
};

const SEND_AGAIN = 'The mail could not be sent. Send it again.';

/** Why a mail was not sent, and what its sender can do. */
const GIVEN_UP: Readonly<Record<MailSubject['what'], string>> = {
  invitation: SEND_AGAIN,
  contact_link: SEND_AGAIN,
  signature_link: 'The mail could not be sent. Create another link.',
  client_digest: 'The mail could not be sent. The next one follows in a week.',
};

/** Notes that a mail was not sent, after the last attempt of its task. It may be repeated. */
export const giveUpPromises = async (caller: Caller, task: MailSubject): Promise<void> => {
  const taken =
    task.what === 'contact_link' ? await subjectsOf(caller, task.link_id, contacts.LINK_RECIPIENT) : [];
  for (const subject of taken.length > 0 ? taken : [task]) {
    await notePromise(caller, subject, (known, at) =>
      known?.error === null ? undefined : { at, error: GIVEN_UP[task.what] },
    );
  }
};
