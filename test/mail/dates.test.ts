import { newPlace } from '../../shared/notices/waiting-mails.ts';
import { countSent, mailCounts } from '../../shared/organizations/addresses/reputation.ts';
import { startClock } from '../support/clock.ts';
import { newPerson, type Person } from '../support/people.ts';

let person: Person;

beforeAll(async () => {
  person = await newPerson('Harbour');
});
afterEach(() => void jest.useRealTimers());

const ONE = { mail_limits: { to_members: 1, to_others: 1, report_recipients: 1 } };

test.each([
  ['2031-01-31T23:40:00.000Z', '2031-02-01T00:00:00.000Z', '2031-02-02T00:00:00.000Z'],
  ['2032-02-28T12:00:00.000Z', '2032-02-29T00:00:00.000Z', '2032-03-01T00:00:00.000Z'],
  ['2031-10-26T00:40:00.000Z', '2031-10-27T00:00:00.000Z', '2031-10-28T00:00:00.000Z'],
  ['2030-12-31T23:58:00.000Z', '2031-01-01T00:00:00.000Z', '2031-01-02T00:00:00.000Z'],
])(
  'mails beyond the limit of the day of %s wait until %s, and the next ones until %s',
  async (now, ...days) => {
    startClock(Date.parse(now));
    expect(await newPlace(person.caller, ONE, 'to_others', 1)).toBeNull();
    for (const day of days) expect(await newPlace(person.caller, ONE, 'to_others', 1)).toBe(day);
  },
);

test.each([
  ['2031-01-31T23:40:00.000Z', '2031-02-06T12:00:00.000Z', '2031-02-07T00:00:00.000Z'],
  ['2032-02-28T12:00:00.000Z', '2032-03-05T12:00:00.000Z', '2032-03-06T00:00:00.000Z'],
  ['2033-12-31T23:58:00.000Z', '2034-01-06T12:00:00.000Z', '2034-01-07T00:00:00.000Z'],
])('a mail sent at %s counts at %s, and no more at %s', async (sent, within, after) => {
  startClock(Date.parse(sent));
  await countSent(person.caller);
  startClock(Date.parse(within));
  expect((await mailCounts(person.caller)).sent).toBe(1);
  startClock(Date.parse(after));
  expect((await mailCounts(person.caller)).sent).toBe(0);
});
