import { v7 as uuidv7 } from 'uuid';
import * as renderReport from '../../functions/workers/render-report.ts';
import { sha256 } from '../../shared/base/encoding.ts';
import { deliverOnce } from '../../shared/notices/mails.ts';
import { rotate } from '../../shared/organizations/api-keys.ts';
import { authenticateKey } from '../../shared/organizations/authentication.ts';
import { usageOf } from '../../shared/organizations/usage.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { KEPT_MONTHS, monthBefore, monthOf } from '../../shared/table/months.ts';
import { getSystemRows } from '../../shared/table/rows.ts';
import { countBytes } from '../../shared/table/stored-bytes.ts';
import { newDocument } from '../documents/scenarios.ts';
import { queuedReport } from '../reports/fixtures/reports.ts';
import { useClock } from '../support/clock.ts';
import { deliver } from '../support/outbox.ts';
import { newPerson, operatorOf, type Person } from '../support/people.ts';

// On this day, each step of a month ends in the next month.
const clock = useClock('2026-12-10T12:00:00Z');
const MONTH_SECONDS = 31 * 86_400;
const ADDRESS = '203.0.113.7';

let person: Person;
beforeEach(async () => {
  person = await newPerson('Billed');
});

const present = (): string => monthOf(new Date().toISOString());
const usage = (month = present()) => usageOf(person.caller, month, new Date());
const request = (key = person.key, time = Date.now()) => authenticateKey(key, time, ADDRESS);
const store = (bytes: number) =>
  change(person.caller, (work) => ({ writes: countBytes(work, [{ id: uuidv7(), bytes }]), reply: null }));

const mail = (recipient: string, ...addresses: string[]) =>
  deliverOnce(person.caller, { mailId: uuidv7(), recipient, task: {} as never }, async () => ({
    state: 'sent',
    ...(addresses.length > 0 && { addresses }),
  }));

describe('the usage of a month', () => {
  test('counts the requests of all keys, by the month in which they were made', async () => {
    await request();
    await request(person.readOnlyKey);
    const first = present();
    clock.pass(MONTH_SECONDS);
    await request();
    expect([(await usage()).requests, (await usage(first)).requests]).toEqual([1, 2]);
    expect((await usage(monthBefore(first, 1))).requests).toBe(0);
  });

  test('counts a request once whose key has another secret by now', async () => {
    await request();
    const { key } = await rotate(operatorOf(person), person.caller.key_id, { overlap_hours: 24 });
    await request();
    await request(key);
    expect((await usage()).requests).toBe(3);
  });

  test('does not count requests that were refused', async () => {
    const now = Date.now();
    for (let count = 0; count < 300; count += 1) await request(person.key, now);
    await expect(request(person.key, now)).rejects.toMatchObject({ status: 429 });
    expect((await usage()).requests).toBe(300);
  });

  test('says the bytes at the end of the month, whatever came and went later', async () => {
    await store(1_000);
    const first = present();
    clock.pass(MONTH_SECONDS);
    await store(500);
    await store(-300);
    clock.pass(2 * MONTH_SECONDS);
    await store(-700);
    const ends = [first, monthBefore(present(), 2), monthBefore(present(), 1), present()].map(
      async (month) => (await usage(month)).storage_bytes,
    );
    expect(await Promise.all(ends)).toEqual([1_000, 1_200, 1_200, 500]);
  });

  test('counts what was rendered and mailed', async () => {
    const { task } = await queuedReport(person);
    expect(await deliver(renderReport.handler, task)).toBe(true);
    await mail('one');
    await mail('many', 'a@example.com', 'b@example.com');
    const { size_bytes } = await newDocument(person);
    expect(await usage()).toMatchObject({ reports: 1, mails: 3 });
    expect((await usage()).storage_bytes).toBeGreaterThan(size_bytes);
    clock.pass(MONTH_SECONDS);
    expect(await usage()).toMatchObject({ reports: 0, mails: 0 });
  });

  test('leaves no count of a month that is too long ago', async () => {
    await request();
    const counters = async () => {
      const [row] = await getSystemRows([keys.apiKey(sha256(person.key))]);
      return Object.keys(row!).filter((name) => name.startsWith('requests_')).length;
    };
    for (let months = 0; months < KEPT_MONTHS + 3; months += 1) {
      clock.pass(MONTH_SECONDS);
      await request();
    }
    expect(await counters()).toBeLessThanOrEqual(KEPT_MONTHS + 1);
    expect((await usage(monthBefore(present(), KEPT_MONTHS))).requests).toBeGreaterThan(0);
  });
});
