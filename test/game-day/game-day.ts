import { inspect } from 'node:util';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { handler as sweepOutbox } from '../../functions/workers/sweep-outbox.ts';
import { loadCatalogue } from '../../infra/catalogue.ts';
import { startEngines } from '../../infra/local/engines.ts';
import { deadLetterCommands } from '../../infra/operator/dead-letters.ts';
import { doctorCommands } from '../../infra/operator/doctor.ts';
import { webhookCommands } from '../../infra/operator/webhooks.ts';
import { handOn } from '../../shared/outside/hand-on.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { dueAt } from '../../shared/table/outbox/due.ts';
import * as write from '../../shared/table/writes.ts';
import { newUpload } from '../documents/scenarios.ts';
import { mailTasks, newMember, tell } from '../support/notices.ts';
import { deliver, deliverLast, outboxOf } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import {
  type Admin,
  answers,
  asAdmin,
  emitEvents,
  newAdmin,
  newReceiver,
  newWebhook,
  settle,
} from '../webhooks/fixtures.ts';
import { newAlarms, type Seen } from './alarms.ts';
import { type Door, openDoor } from './door.ts';
import { watchMetrics } from './metrics.ts';

/*
 * A game day: breaks one part of the service after the other, and shows what the people on call see of it: what clients
 * are answered, the metrics, the alarms with their texts, and what `operator doctor` says; then mends it, and shows that
 * nothing is left. The operations and workers are the service's own, on embedded engines behind doors; the alarms are
 * those of the deployment. Time is not waited for: what has to be old is made old, and each such step says so.
 */

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Requests that are sent while something is broken: more than the alarms take for chance. */
const REQUESTS = 10;

/** Somewhat longer than work may be due before the doctor calls its worker late, in milliseconds. */
const LATE_MS = 16 * 60_000;

/** How often a client sends a request that is answered with 503, as the contract asks of it. */
const ATTEMPTS = 5;

const times = <Result>(count: number, work: () => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, work));

/** What is seen while a part is broken, beside what the service logs. */
interface Observed {
  /** What clients and workers are answered. */
  answers: string;
  /** What AWS would count. */
  seen?: Seen[];
}

interface Scenario {
  what: string;
  /** What is made so instead of being waited for. */
  asIf?: string;
  work: () => Promise<Observed>;
  /** The alarm that somebody is woken by. */
  alarm: string;
  /** What the doctor finds; undefined for what is none of the deployment's own. */
  doctor: string | undefined;
  /** @returns how it is seen that nothing is left */
  mend: () => Promise<string>;
}

const statuses = (answers: readonly { status: number }[]): string =>
  [...Map.groupBy(answers, ({ status }) => status)]
    .map(([status, some]) => `${status} × ${some.length}`)
    .join(', ');

/** The metric by which API Gateway counts server errors of the API for an audience. */
const gatewayErrors = (answers: readonly { status: number }[], api = 'inspection-service'): Seen => ({
  namespace: 'AWS/ApiGateway',
  name: '5XXError',
  of: api,
  value: answers.filter(({ status }) => status >= 500).length,
});

/** Sends a request as a client does: again while it is answered with 503. */
const patiently = async <Reply extends { status: number }>(send: () => Promise<Reply>): Promise<Reply> => {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send();
    if (answer.status !== 503 || attempt === ATTEMPTS) return answer;
  }
};

/** @throws Error when what was broken is not whole again */
const whole = async (requests: readonly (() => Promise<{ status: number }>)[]): Promise<string> => {
  const answers = await Promise.all(requests.map(patiently));
  const wrong = answers.filter(({ status }) => status >= 300);
  if (wrong.length > 0) throw new Error(`still ${statuses(wrong)}`);
  return statuses(answers);
};

/** @throws Error that says what is missing */
const needed = <Value>(value: Value | undefined, what: string): Value => {
  if (value === undefined) throw new Error(`there is no ${what}`);
  return value;
};

/** Makes what waits in the outbox of an organization older than any worker leaves it. */
const makeOld = async ({ caller }: Person): Promise<void> => {
  const rows = await outboxOf(caller);
  const since = new Date(Date.now() - LATE_MS).toISOString();
  const writes = rows.map(({ id }) =>
    write.update(keys.outbox(caller, id), { set: dueAt('OUTBOX', id, since) }),
  );
  await change(caller, () => ({ writes, reply: undefined }));
};

/** Runs a worker of the clock. @returns whether the run failed */
const hasFailed = async (run: () => Promise<unknown>): Promise<boolean> => {
  try {
    await run();
    return false;
  } catch {
    return true;
  }
};

/** @throws Error when work still waits in the outbox */
const swept = async ({ caller }: Person): Promise<string> => {
  await sweepOutbox();
  const left = await outboxOf(caller);
  if (left.length > 0) throw new Error(`${left.length} rows still wait in the outbox`);
  return 'the sweep has handed on what waited';
};

type Doors = Record<'table' | 'bucket' | 'queue' | 'mail' | 'key', Door>;

const scenariosOf = (
  { table, bucket, queue, mail, key }: Doors,
  person: Person,
  admin: Admin,
): Scenario[] => {
  const read = () => person.try.organization.get({});
  const create = () => person.try.locations.create({ body: { name: 'Crane 9' } });
  let uploads: string[] = [];
  const complete = () =>
    uploads.map(
      (upload_id) => () =>
        person.try.documents.completeUpload({ params: { upload_id }, body: { title: 'Plan' } }),
    );
  const addEndpoint = async () =>
    (await asAdmin(admin)).try.webhooks.create({
      body: { url: 'https://hooks.example.com/inspections', types: ['*'] },
    });
  return [
    {
      what: 'The table is unreachable',
      work: async () => {
        table.break('unreachable');
        const answers = await times(REQUESTS, read);
        return { answers: statuses(answers), seen: [gatewayErrors(answers)] };
      },
      alarm: 'GatewayErrors',
      doctor: 'a check failed',
      mend: async () => {
        table.break(undefined);
        return whole(Array<typeof read>(REQUESTS).fill(read));
      },
    },
    {
      what: 'The table throttles writes',
      work: async () => {
        table.break({
          error: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
          of: /TransactWriteItems$/,
        });
        const answers = await times(REQUESTS, create);
        const value = table.refused();
        return {
          answers: statuses(answers),
          seen: [{ namespace: 'AWS/DynamoDB', name: 'WriteThrottleEvents', value }, gatewayErrors(answers)],
        };
      },
      alarm: 'WriteThrottles',
      doctor: undefined,
      mend: async () => {
        table.break(undefined);
        return whole(Array<typeof create>(REQUESTS).fill(create));
      },
    },
    {
      what: 'The bucket is unreachable',
      work: async () => {
        const files = Array.from({ length: REQUESTS }, () => newUpload(person, Buffer.from('plan')));
        uploads = (await Promise.all(files)).map(({ upload_id }) => upload_id);
        bucket.break('unreachable');
        const answers = await Promise.all(complete().map((send) => send()));
        return { answers: statuses(answers), seen: [gatewayErrors(answers)] };
      },
      alarm: 'ServerErrors',
      doctor: 'the bucket',
      mend: async () => {
        bucket.break(undefined);
        return whole(complete());
      },
    },
    {
      what: 'A key of KMS is disabled',
      work: async () => {
        key.break({ error: 'DisabledException', of: /Encrypt$/ });
        const answers = await times(REQUESTS, addEndpoint);
        return { answers: statuses(answers), seen: [gatewayErrors(answers)] };
      },
      alarm: 'KeyFailures',
      doctor: undefined,
      mend: async () => {
        key.break(undefined);
        return whole([addEndpoint]);
      },
    },
    {
      what: 'The queues are unreachable',
      asIf: 'what waits is made 16 minutes older, and the sweep runs twice',
      work: async () => {
        await tell(person, { user_ids: [await newMember(person, 'Ben')] });
        queue.break('unreachable');
        await handOn(await outboxOf(person.caller));
        await makeOld(person);
        const runs = [await hasFailed(sweepOutbox), await hasFailed(sweepOutbox)];
        const value = runs.filter(Boolean).length;
        return {
          answers: `${value} runs of sweepOutbox failed`,
          seen: [{ namespace: 'AWS/Lambda', name: 'Errors', of: 'SweepOutbox', value }],
        };
      },
      alarm: 'SweepOutboxErrors',
      doctor: 'a worker is late',
      mend: () => {
        queue.break(undefined);
        return swept(person);
      },
    },
    {
      what: 'The workers do not run',
      asIf: 'what waits is made 16 minutes older',
      work: async () => {
        await emitEvents(person, 3);
        await makeOld(person);
        return {
          answers: `${(await outboxOf(person.caller)).length} rows wait in the outbox`,
          seen: [{ namespace: 'AWS/Lambda', name: 'Invocations', of: 'SweepOutbox', value: 0 }],
        };
      },
      alarm: 'SweepOutboxMissing',
      doctor: 'a worker is late',
      mend: () => swept(person),
    },
    {
      what: 'SES sends no mails',
      asIf: 'the task is at its last attempt, which takes 13 minutes',
      work: async () => {
        await tell(person, { user_ids: [await newMember(person, 'Ana')] });
        const taskOf = async (what: string) =>
          needed(
            (await mailTasks(person)).find(({ data }) => data['what'] === what),
            `task of a ${what}`,
          );
        await deliver(sendMail, await taskOf('notice'));
        const task = await taskOf('digest');
        mail.break({ error: 'SendingPausedException', of: /outbound-emails/ });
        const isTaken = await deliverLast(sendMail, task);
        return { answers: isTaken ? 'the task is done' : 'the task failed at every attempt' };
      },
      alarm: 'StoredDeadLetters',
      doctor: 'dead letters',
      mend: async () => {
        mail.break(undefined);
        const redriven = await deadLetterCommands['dead-letters redrive'].run({ all: true });
        const sent = await Promise.all((await mailTasks(person)).map((task) => deliver(sendMail, task)));
        if (sent.includes(false)) throw new Error('the mail still fails');
        return `${redriven.length} redriven, and sent`;
      },
    },
    {
      what: 'Endpoints of customers are gone (410)',
      work: async () => {
        const receiver = await newReceiver();
        receiver.behave(answers(410));
        for (let n = 0; n < 5; n += 1) await newWebhook(admin, receiver.url);
        await emitEvents(admin);
        await settle(admin);
        receiver.close();
        const list = await webhookCommands['webhook list'].run({ org: admin.caller.org_id });
        const gone = list.filter(({ disabled_reason }) => disabled_reason === 'gone');
        return { answers: `${gone.length} endpoints are switched off` };
      },
      alarm: 'DisabledEndpoints',
      doctor: undefined,
      mend: async () => 'their owners have got a mail, and switch them on again',
    },
  ];
};

/** @returns whether the alarm and the doctor said what they have to, and nothing is left afterwards */
const play = async (
  { what, asIf, work, alarm, doctor, mend }: Scenario,
  number: number,
  { read, raisedBy }: { read: () => Seen[] } & Awaited<ReturnType<typeof newAlarms>>,
): Promise<boolean> => {
  print(`\n${number}. ${what}${asIf === undefined ? '' : ` (${asIf})`}`);
  read();
  let isPlayed = true;
  const { answers: seenByClients, seen = [] } = await work().catch((error: unknown): Observed => {
    isPlayed = false;
    return { answers: `MISSING, because it could not be tried: ${inspect(error)}` };
  });
  const all = [...read(), ...seen];
  const raised = raisedBy(all);
  const { findings } = await doctorCommands.doctor.run({});
  print(`   answers  ${seenByClients}`);
  const sums = Map.groupBy(all, ({ namespace, name, of }) =>
    [namespace === 'own' ? '' : `${namespace} `, name, of === undefined ? '' : ` of ${of}`].join(''),
  );
  for (const [name, values] of sums) {
    const sum = values.reduce((total, { value }) => total + value, 0);
    if (!/^(Latency|TableCalls|ColdStart)/.test(name) && (sum > 0 || seen.includes(values[0]!)))
      print(`   metric   ${name}: ${sum}`);
  }
  for (const { id, text } of raised) print(`   alarm    ${id}: ${text}`);
  if (findings.length === 0) print('   doctor   finds nothing');
  for (const finding of findings)
    print(`   doctor   ${finding.what}: ${finding.detail}. To do: ${finding.command}`);

  let mended: string;
  let isMended = false;
  try {
    mended = await mend();
    const after = await doctorCommands.doctor.run({});
    isMended = after.ok;
    if (!after.ok)
      mended += `, but the doctor finds ${after.findings.map(({ detail }) => detail).join('; ')}`;
  } catch (error) {
    mended = `MISSING: ${inspect(error)}`;
  }
  print(`   mended   ${mended}`);
  const isToldOf = raised.some(({ id }) => id === alarm);
  if (!isToldOf) print(`   MISSING  the alarm ${alarm}`);
  const isFound =
    doctor === undefined ? findings.length === 0 : findings.some((each) => each.what === doctor);
  if (!isFound) print(`   MISSING  the doctor does not say "${doctor ?? 'nothing'}"`);
  return isPlayed && isToldOf && isFound && isMended;
};

/** Puts a door before each engine. @returns the doors */
const openDoors = async (): Promise<Doors> => {
  const open = async (service: string): Promise<Door> => {
    const name = `AWS_ENDPOINT_URL_${service}`;
    const engine = process.env[name]!;
    const door = await openDoor(engine);
    process.env[name] = door.url;
    // The address of a queue has that of its engine in it.
    if (service === 'SQS')
      for (const [variable, value] of Object.entries(process.env))
        if (variable.endsWith('_QUEUE_URL')) process.env[variable] = door.url + new URL(value!).pathname;
    return door;
  };
  return {
    table: await open('DYNAMODB'),
    bucket: await open('S3'),
    queue: await open('SQS'),
    mail: await open('SESV2'),
    key: await open('KMS'),
  };
};

const main = async (): Promise<boolean> => {
  Object.assign(process.env, {
    LOG_LEVEL: 'error',
    METRICS_NAMESPACE: 'InspectionService/game-day',
    ALLOW_LOOPBACK_WEBHOOKS: '1',
  });
  const [{ raisedBy }, { operations }] = [await newAlarms(), await loadCatalogue()];
  const areas = new Map(operations.map(({ area, operation }) => [operation.id, area]));
  const engines = await startEngines({ dataDir: null, isGuarded: false });
  const doors = await openDoors();
  const metrics = watchMetrics((operation) => areas.get(operation) ?? 'workers');
  try {
    const scenarios = scenariosOf(doors, await newPerson('Harbour'), await newAdmin('Quay'));
    let right = 0;
    for (const [position, scenario] of scenarios.entries())
      if (await play(scenario, position + 1, { read: metrics.read, raisedBy })) right += 1;
    print(`\n${right} of ${scenarios.length} are seen, told and mended`);
    return right === scenarios.length;
  } finally {
    metrics.stop();
    for (const door of Object.values(doors)) door.close();
    await engines.stop();
  }
};

process.exitCode = (await main()) ? 0 : 1;
