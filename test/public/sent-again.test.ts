import * as askAddress from '../../functions/public/ask-address.ts';
import * as askToStopMails from '../../functions/public/ask-to-stop-mails.ts';
import * as getActionForm from '../../functions/public/get-action-form.ts';
import * as getCertificateVerification from '../../functions/public/get-certificate-verification.ts';
import * as getIssueForm from '../../functions/public/get-issue-form.ts';
import * as getSharedCertificate from '../../functions/public/get-shared-certificate.ts';
import * as getSharedReport from '../../functions/public/get-shared-report.ts';
import * as getSignatureForm from '../../functions/public/get-signature-form.ts';
import * as members from '../../shared/organizations/members/members.ts';
import * as invitations from '../../shared/organizations/people/invitations.ts';
import * as ownInvitations from '../../shared/organizations/people/own-invitations.ts';
import type { LinkPurpose } from '../../shared/table/entities/organization.ts';
import { newCertificate } from '../certificates/fixtures.ts';
import { newPerson, operatorOf, type Person } from '../support/people.ts';
import { type PageEndpoint, visit } from '../support/visit.ts';
import {
  contactToken,
  newContactLink,
  newIssueLink,
  newOffer,
  newShareLink,
  newStopLink,
  newWitnessLink,
  WITNESSED,
} from './fixtures.ts';

/*
 * A link that was sent twice. Whoever has the first one, because a mail was passed on or went to a wrong address, must
 * not keep a way in that the organization does not know of.
 */

/** Whether a link that was sent leads anywhere. */
type Follow = () => Promise<boolean>;

/** A link as members see it in a list. */
interface Listed {
  id: string;
  status: string;
}

/** What becomes of the first link when a second one for the same purpose, and for the same person, is sent. */
type Ending =
  /** It ends. */
  | { ending: 'replaced'; sendTwice: (person: Person) => Promise<{ first: Follow[]; second: Follow }> }
  /** Both work, members see both, and can end each. */
  | {
      ending: 'listed';
      /** The status of such a link that nobody has ended. */
      open?: string;
      sendTwice: (person: Person) => Promise<{
        first: Follow;
        second: Follow;
        list: () => Promise<Listed[]>;
        end: (id: string) => Promise<unknown>;
      }>;
    }
  /** Both work, and nobody needs a way to end them. */
  | {
      ending: 'permanent';
      why: string;
      sendTwice: (person: Person) => Promise<{ first: Follow; second: Follow }>;
    };

const opens =
  (page: PageEndpoint, token: string): Follow =>
  async () => {
    const { status } = await visit(page, { token });
    if (status !== 200 && status !== 404) throw new Error(`a link led to ${status}`);
    return status === 200;
  };

/** Whether somebody who is known by the link alone is invited: the provider has not verified their address. */
const joins = (email: string, token: string): Follow => {
  const identity = {
    issuer: 'https://people.example',
    subject: email,
    email,
    name: 'Eve',
    isEmailVerified: false,
  };
  return async () => {
    const followed = await ownInvitations.followInvitation(token);
    const found = await ownInvitations.list(ownInvitations.inviteeOf(identity, followed), Date.now());
    return found.length === 1;
  };
};

const shareLinksOf = (person: Person, report_id: string) => ({
  list: (): Promise<Listed[]> => person.reports.listShareLinks({ params: { report_id } }),
  end: (share_link_id: string): Promise<unknown> =>
    person.reports.revokeShareLink({ params: { report_id, share_link_id } }),
});

const SENT: Readonly<Record<LinkPurpose, Ending>> = {
  action: {
    ending: 'replaced',
    sendTwice: async (person) => {
      const { action, token } = await newContactLink(person);
      // A reminder has another token of the same link.
      const reminder = await contactToken(person, action);
      await person.correctiveActions.sendContactLink({ params: { ca_id: action.id } });
      return {
        first: [opens(getActionForm, token), opens(getActionForm, reminder)],
        second: opens(getActionForm, await contactToken(person, action)),
      };
    },
  },
  invite: {
    ending: 'replaced',
    sendTwice: async ({ caller, ...person }) => {
      const email = `${crypto.randomUUID()}@client.example`;
      const by = operatorOf({ caller, ...person });
      const { user_id } = await invitations.invite(by, { email, role: 'inspector' });
      const newToken = async () => {
        const { id } = (await members.find(caller, user_id))!.invitation!;
        const open = await invitations.open(caller, { what: 'invitation', user_id, invitation_id: id });
        return open!.newToken();
      };
      const first = await newToken();
      await invitations.resend(by, user_id);
      return { first: [joins(email, first)], second: joins(email, await newToken()) };
    },
  },
  certificate: {
    ending: 'replaced',
    sendTwice: async (person) => {
      const { certificate } = await newCertificate(person);
      const share = async () =>
        (await person.certificates.share({ params: { certificate_id: certificate.id } })).url as string;
      const first = await share();
      return {
        first: [opens(getSharedCertificate, first)],
        second: opens(getSharedCertificate, await share()),
      };
    },
  },
  sign: {
    ending: 'listed',
    sendTwice: async (person) => {
      const { inspection, token } = await newWitnessLink(person);
      const params = { inspection_id: inspection.id };
      const body = { ...WITNESSED, name: 'Wanda Witness' };
      const second = await person.answers.createSignatureLink({ params, body });
      return {
        first: opens(getSignatureForm, token),
        second: opens(getSignatureForm, second.url),
        list: () => person.answers.listSignatureLinks({ params }),
        end: (signature_link_id) =>
          person.answers.revokeSignatureLink({ params: { ...params, signature_link_id } }),
      };
    },
  },
  share: {
    ending: 'listed',
    sendTwice: async (person) => {
      const { report_id, url } = await newShareLink(person);
      const second = await person.reports.createShareLink({ params: { report_id } });
      return {
        first: opens(getSharedReport, url),
        second: opens(getSharedReport, second.url),
        ...shareLinksOf(person, report_id),
      };
    },
  },
  issue: {
    ending: 'listed',
    sendTwice: async (person) => {
      const { category, token } = await newIssueLink(person);
      const params = { category_id: category.id };
      const second = await person.issues.createPublicLink({ params, body: {} });
      return {
        first: opens(getIssueForm, token),
        second: opens(getIssueForm, second.url),
        list: () => person.issues.listPublicLinks({ params }),
        end: (public_link_id) => person.issues.revokePublicLink({ params: { ...params, public_link_id } }),
      };
    },
  },
  verify: {
    ending: 'permanent',
    why: 'The number stands on the printed certificate, and the page says what the certificate is worth today.',
    sendTwice: async (person) => {
      const { number } = (await newCertificate(person)).certificate;
      const follow = opens(getCertificateVerification, number);
      return { first: follow, second: follow };
    },
  },
  // A question without the offer of a report takes an answer, and opens nothing.
  confirm: {
    ending: 'listed',
    open: 'offered',
    sendTwice: async (person) => {
      const { report_id, token, offerAgain } = await newOffer(person);
      const second = await offerAgain();
      return {
        first: opens(askAddress, token),
        second: opens(askAddress, second),
        ...shareLinksOf(person, report_id),
      };
    },
  },
  stop: {
    ending: 'permanent',
    why: 'The owner of an address must be able to end the mails by any of them, also by an old one (RFC 8058).',
    sendTwice: async (person) => {
      const { address, token } = await newStopLink(person);
      const again = await newStopLink(person, address);
      return { first: opens(askToStopMails, token), second: opens(askToStopMails, again.token) };
    },
  },
};

let person: Person;

beforeEach(async () => {
  person = await newPerson('Harbour');
});

const purposesThat = <Kind extends Ending['ending']>(ending: Kind) =>
  Object.entries(SENT).filter((entry): entry is [string, Extract<Ending, { ending: Kind }>] => {
    const [, sent] = entry;
    return sent.ending === ending;
  });

describe('a link that is sent once more', () => {
  test.each(purposesThat('replaced'))('%s: ends the first one', async (_, { sendTwice }) => {
    const { first, second } = await sendTwice(person);
    for (const follow of first) expect(await follow()).toBe(false);
    expect(await second()).toBe(true);
  });

  test.each(purposesThat('listed'))(
    '%s: stands beside the first one, and members end each',
    async (_, sent) => {
      const { first, second, list, end } = await sent.sendTwice(person);
      expect([await first(), await second()]).toEqual([true, true]);
      const newest = await list();
      const { open = 'active' } = sent;
      expect(newest.map(({ status }) => status)).toEqual([open, open]);
      await end(newest[1]!.id);
      expect([await first(), await second()]).toEqual([false, true]);
      await end(newest[0]!.id);
      expect([await first(), await second()]).toEqual([false, false]);
      expect((await list()).map(({ status }) => status)).toEqual(['revoked', 'revoked']);
    },
  );

  test.each(purposesThat('permanent'))('%s: leaves the first one as it is', async (_, { sendTwice, why }) => {
    const { first, second } = await sendTwice(person);
    expect([why.length > 0, await first(), await second()]).toEqual([true, true, true]);
  });
});
