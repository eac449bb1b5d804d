import { verdictOf } from '../../../shared/domain/mail/feedback.ts';
import type { MailFeedback } from '../../../shared/schemas/mail.ts';

const verdict = (event: object) =>
  verdictOf({ mail: { destination: ['ana@example.com'] }, ...event } as MailFeedback);
const bounced = (
  bounceType: string,
  bounceSubType: string | undefined,
  ...diagnostics: (string | undefined)[]
) =>
  verdict({
    bounce: {
      bounceType,
      bounceSubType,
      bouncedRecipients: diagnostics.map((diagnosticCode) => ({
        emailAddress: 'Ana <ana@example.com>',
        diagnosticCode,
      })),
    },
  });

describe('verdictOf', () => {
  test('a permanent bounce: the address is mailed no more', () =>
    expect(bounced('Permanent', 'General', 'smtp; 550 no such user')).toEqual({
      addresses: ['ana@example.com'],
      status: 'bounced',
      detail: 'Permanent General: smtp; 550 no such user',
      suppression: 'bounced',
    }));

  test.each(['Transient', 'Undetermined'])('a %s bounce: it may be mailed again', (type) =>
    expect(bounced(type, undefined, undefined)).toEqual({
      addresses: ['ana@example.com'],
      status: 'bounced',
      detail: type,
      suppression: null,
    }),
  );

  test.each(['Suppressed', 'OnAccountSuppressionList'])(
    'a bounce that SES itself refused (%s): it was never sent, and says nothing about the address',
    (subType) =>
      expect(bounced('Permanent', subType, undefined, 'not sent')).toMatchObject({
        status: 'failed',
        detail: `Permanent ${subType}: not sent`,
        suppression: null,
      }),
  );

  test.each([
    ['abuse', 'abuse'],
    [undefined, null],
  ])('a complaint (%s): the address is mailed no more', (complaintFeedbackType, detail) =>
    expect(
      verdict({
        complaint: { complainedRecipients: [{ emailAddress: ' ana@example.com ' }], complaintFeedbackType },
      }),
    ).toEqual({ addresses: ['ana@example.com'], status: 'complained', detail, suppression: 'complained' }),
  );

  test('a delivery, to those whom it names', () =>
    expect(verdict({ delivery: { recipients: ['"Bo <x>" <bo@example.com> '] } })).toEqual({
      addresses: ['bo@example.com'],
      status: 'delivered',
      detail: null,
      suppression: null,
    }));

  test('a refusal of the whole mail, for all its recipients', () =>
    expect(verdict({ reject: { reason: 'Bad content' } })).toEqual({
      addresses: ['ana@example.com'],
      status: 'failed',
      detail: 'Bad content',
      suppression: null,
    }));

  test('nothing of a delay', () => expect(verdict({})).toBeUndefined());
});
