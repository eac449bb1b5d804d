import {
  addressFooter,
  canReceiveMail,
  mailRecipients,
  mailText,
  memberFooter,
} from '../../../shared/domain/notifications/mail.ts';

const ana = { user_id: 'ana', name: 'Ana', email: 'Ana@example.com' };

describe('mailRecipients', () => {
  test('members and further addresses get a mail, with a footer that says why', () => {
    expect(mailRecipients('Harbour', [ana], ['client@example.com'])).toEqual([
      { user_id: 'ana', name: 'Ana', address: 'Ana@example.com', footer: memberFooter('Harbour') },
      { user_id: null, name: '', address: 'client@example.com', footer: addressFooter('Harbour') },
    ]);
  });

  test('no address gets two mails, and a member’s own address wins', () => {
    const emails = ['ANA@example.com', 'client@example.com', 'Client@Example.com'];
    const recipients = mailRecipients('Harbour', [ana], emails);
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

describe('mailText', () => {
  test('the title is the subject and the first paragraph, the footer the last', () => {
    const title = 'Inspection 7 “Kitchen” was approved.';
    expect(mailText({ title, note: 'Well done' }, 'Why.')).toEqual({
      subject: title,
      paragraphs: [title, 'Well done', 'Why.'],
    });
  });

  test('no paragraph is empty when there is no note', () => {
    expect(mailText({ title: 'Title.', note: '' }, 'Why.').paragraphs).toEqual(['Title.', 'Why.']);
  });
});
