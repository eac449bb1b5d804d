import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describeSettings } from '../../../infra/cloud/settings.ts';
import { enableStream, enableTimeToLive } from '../../../infra/local/engines/resources.ts';
import { commands } from '../../../infra/operator/commands.ts';
import { change } from '../../../shared/table/change.ts';
import { keys } from '../../../shared/table/keys.ts';
import { deadLetter } from '../../../shared/table/outbox/dead-letters.ts';
import { dueAt } from '../../../shared/table/outbox/due.ts';
import { RETRY } from '../../../shared/table/retry.ts';
import * as write from '../../../shared/table/writes.ts';
import { systemWrite } from '../../../shared/table/writes.ts';
import { impatient, installFaults, loseReply, on, throttled, withFault } from '../../support/faults.ts';
import { outboxOf } from '../../support/outbox.ts';
import { newPerson, type Person } from '../../support/people.ts';

installFaults();

const run = () => commands.doctor.run({});

let person: Person;
beforeAll(async () => {
  const client = new DynamoDBClient();
  await enableStream(client, process.env['TABLE_NAME']!);
  await enableTimeToLive(client, process.env['TABLE_NAME']!);
  client.destroy();
  person = await newPerson('Patient');
});

describe('operator doctor', () => {
  test('finds nothing where all is well, also while somebody works', async () => {
    await person.clientAccounts.create({ body: { name: 'Acme' } });
    expect(await run()).toEqual({ ok: true, findings: [] });
  });

  test('asks each part again that has not answered once', async () => {
    const asked = new Set<string>();
    const checks = ['DescribeTable', 'DescribeTimeToLive', 'HeadBucket', 'GetQueueAttributes'];
    const firstOfEach = on(({ command }) => {
      const isFirst = checks.includes(command) && !asked.has(command);
      asked.add(command);
      return isFirst;
    }, loseReply);
    expect(await withFault(firstOfEach, run)).toEqual({ ok: true, findings: [] });
    expect([...asked]).toEqual(expect.arrayContaining(checks));
  });

  test('finds that rows which have ended are not deleted any more', async () => {
    const off = on(
      ({ command }) => command === 'DescribeTimeToLive',
      () => Promise.resolve({ TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } }),
    );
    expect((await withFault(off, run)).findings).toEqual([
      {
        what: 'the table',
        detail: 'rows that have ended are not deleted: time to live is off',
        command: 'npm run -s operator -- restore-table',
      },
    ]);
  });

  test('finds a worker that has not taken what is due', async () => {
    const [row] = await outboxOf(person.caller);
    const since = new Date(Date.now() - 16 * 60_000).toISOString();
    const late = write.update(keys.outbox(person.caller, row!.id), { set: dueAt('OUTBOX', row!.id, since) });
    await change(person.caller, () => ({ writes: [late], reply: null }));
    expect((await run()).findings).toEqual([
      {
        what: 'a worker is late',
        detail: `sweep-outbox: OUTBOX is due since ${since} (16 min)`,
        command: 'LOG_LEVEL=info npm start',
      },
    ]);
  });

  test('finds work that has failed at every attempt, by its reason', async () => {
    const [row] = await outboxOf(person.caller);
    const { id, outbox: what } = row!;
    const letter = { id, what, reason: 'it is too long', attempts: 6, work: { ...row! } };
    await change(person.caller, (work) => ({
      writes: [write.drop(keys.outbox(work, id)), deadLetter(work, letter)],
      reply: null,
    }));
    expect(await run()).toEqual({
      ok: false,
      findings: [
        {
          what: 'dead letters',
          detail: `1 of ${what}: it is too long`,
          command: `npm run -s operator -- dead-letters redrive --what ${what}`,
        },
      ],
    });
  });

  test('finds a migration that was interrupted', async () => {
    const open = { forms: '[]', next: undefined, read: {}, outdated: 0 };
    const row = write.put({ ...keys.migration('ALL'), ...open });
    await change(person.caller, () => ({ writes: [systemWrite(row)], reply: null }));
    expect((await run()).findings).toContainEqual({
      what: 'rows',
      detail: 'a migration was interrupted',
      command: 'npm run -s operator -- migrate',
    });
  });
});

describe('a part that does not answer', () => {
  const usual = RETRY.budget;
  beforeAll(() => impatient());
  afterAll(() => impatient(usual));

  test('is a finding that says why', async () => {
    const refuse = on(
      ({ command }) => command === 'DescribeTable' || command === 'HeadBucket',
      () => Promise.reject(throttled()),
    );
    const { findings } = await withFault(refuse, run);
    expect(findings).toEqual(
      expect.arrayContaining([
        {
          what: 'a check failed',
          detail: expect.stringMatching(
            /^cannot look at the table: .*: ProvisionedThroughputExceededException/,
          ),
          command: `aws dynamodb describe-table --table-name ${process.env['TABLE_NAME']}`,
        },
        {
          what: 'the bucket',
          detail: expect.stringMatching(/ does not answer: .*: ProvisionedThroughputExceededException/),
          command: `aws s3api head-bucket --bucket ${process.env['BUCKET_NAME']}`,
        },
      ]),
    );
  });
});

describe('operator restore-plan', () => {
  const plan = commands['restore-plan'];

  test('prints the steps with the names of the tables', async () => {
    const steps = await plan.run({ to: 'inspections-again', time: '2026-03-01T12:00:00Z' });
    expect(steps.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const shown = steps.map(({ command }) => command).join('\n');
    for (const text of [
      `--source-table-name ${process.env['TABLE_NAME']} --target-table-name inspections-again --restore-date-time 2026-03-01T12:00:00Z`,
      'TABLE_NAME=inspections-again npm run -s operator -- restore-table',
      '-c existingTable=inspections-again -c existingTableStream=',
    ])
      expect(shown).toContain(text);
  });

  test('names settings and commands that exist', async () => {
    const shown = (await plan.run({})).map(({ command }) => command).join('\n');
    for (const [, name] of shown.matchAll(/-c (\w+)=/g))
      expect([name, name === 'env' || describeSettings().includes(`-c ${name}=`)]).toEqual([name, true]);
    for (const [, name] of shown.matchAll(/operator -- ([\w-]+(?: check)?)/g))
      expect(Object.keys(commands)).toContain(name);
    expect(shown).toContain('--use-latest-restorable-time');
  });
});
