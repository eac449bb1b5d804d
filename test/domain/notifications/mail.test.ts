import { canReceiveMail, mailRecipients } from '../../../shared/domain/notifications/mail.ts';

const ana = { user_id: 'ana', name: 'Ana', email: 'Ana@example.com' };

describe('mailRecipients', () => {
  test('members and further addresses get a mail', () => {
    expect(mailRecipients([ana], ['client@example.com'])).toEqual([
      { user_id: 'ana', address: 'Ana@example.com' },
      { user_id: null, address: 'client@example.com' },
    ]);
  });

  test('no address gets two mails, and a member’s own address wins', () => {
    const emails = ['ANA@example.com', 'client@example.com', 'Client@Example.com'];
    const recipients = mailRecipients([ana], emails);
    expect(recipients.map(({ user_id, address }) => [user_id, address])).toEqual([
      ['ana', 'Ana@example.com'],
      [null, 'client@example.com'],
    ]);
  });
});

describe('canReceiveMail', () => {
  const member = { status: 'active', role: 'inspector', email: 'ana@example.com' } as const;

  test('active people with an address do', () => {
    expect(canReceiveMail(member)).toBe(true);
    expect(canReceiveMail({ ...member, role: 'admin' })).toBe(true);
  });

  test.each([{ status: 'invited' }, { status: 'suspended' }, { role: 'api' }, { email: '' }] as const)(
    'not with %j',
    (fields) => {
      expect(canReceiveMail({ ...member, ...fields })).toBe(false);
    },
  );
});
