import { emailStatus, withOutcome } from '../../../shared/domain/mail/feedback.ts';
import type { EmailRecipient, EmailStatus } from '../../../shared/schemas/reports/report-email.ts';

const AT = '2030-01-01T00:00:00.000Z';
const recipient = (address: string, status: EmailStatus): EmailRecipient => ({
  address,
  status,
  detail: null,
  at: AT,
  waiting: null,
});

test.each<[EmailStatus[], EmailStatus]>([
  [[], 'failed'],
  [['queued', 'queued'], 'queued'],
  [['delivered', 'queued'], 'delivered'],
  [['delivered', 'sent'], 'sent'],
  [['sent', 'failed', 'delivered'], 'failed'],
  [['bounced', 'failed'], 'bounced'],
  [['complained', 'bounced'], 'complained'],
])('emailStatus of %j is %s: the worst among the recipients', (statuses, expected) =>
  expect(emailStatus(statuses.map((status) => ({ status })))).toBe(expected),
);

describe('withOutcome', () => {
  const after = (was: EmailStatus, status: EmailStatus): EmailStatus => {
    const outcome = { addresses: ['ana@example.com'], status, detail: null, at: AT };
    return withOutcome([recipient('ana@example.com', was)], outcome)[0]!.status;
  };

  test.each<[EmailStatus, EmailStatus[]]>([
    ['queued', ['sent', 'delivered', 'bounced', 'complained', 'failed']],
    ['sent', ['delivered', 'bounced', 'complained', 'failed']],
    ['delivered', ['bounced', 'complained']],
    ['failed', ['delivered', 'bounced', 'complained']],
    ['bounced', ['complained']],
    ['complained', []],
  ])('a mail that is %s may become %j, and nothing else', (was, next) => {
    const all = ['queued', 'sent', 'delivered', 'failed', 'bounced', 'complained'] as const;
    for (const status of all) expect(after(was, status)).toBe(next.includes(status) ? status : was);
  });

  test('changes those of the recipients whom it names, whatever their case', () => {
    const recipients = [recipient('Ana@example.com', 'sent'), recipient('bo@example.com', 'sent')];
    const outcome = {
      addresses: ['ANA@EXAMPLE.COM'],
      status: 'bounced',
      detail: 'No such user',
      at: AT,
    } as const;
    expect(withOutcome(recipients, outcome)).toEqual([
      { ...recipients[0], status: 'bounced', detail: 'No such user', at: AT },
      recipients[1],
    ]);
  });

  test('is the same list when it tells nothing new', () => {
    const recipients = [recipient('ana@example.com', 'bounced'), recipient('bo@example.com', 'sent')];
    const outcome = { addresses: ['ana@example.com'], status: 'delivered', detail: null, at: AT } as const;
    expect(withOutcome(recipients, outcome)).toBe(recipients);
  });
});
