import { type MailCounts, reasonToPause } from '../../../shared/domain/mail/reputation.ts';

test.each<[MailCounts, ReturnType<typeof reasonToPause>]>([
  [{ sent: 0, bounced: 0, complained: 0 }, undefined],
  [{ sent: 49, bounced: 49, complained: 0 }, undefined],
  [{ sent: 50, bounced: 2, complained: 0 }, undefined],
  [{ sent: 50, bounced: 3, complained: 0 }, 'bounced'],
  [{ sent: 1_000, bounced: 49, complained: 0 }, undefined],
  [{ sent: 1_000, bounced: 50, complained: 0 }, 'bounced'],
  [{ sent: 0, bounced: 0, complained: 2 }, undefined],
  [{ sent: 0, bounced: 0, complained: 3 }, 'complained'],
  [{ sent: 3_000, bounced: 0, complained: 3 }, 'complained'],
  [{ sent: 3_001, bounced: 0, complained: 3 }, undefined],
  [{ sent: 50, bounced: 50, complained: 3 }, 'complained'],
])('%j: %s', (counts, reason) => {
  expect(reasonToPause(counts)).toBe(reason);
});
