import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook as Verifier } from 'standardwebhooks';
import { v7 as uuidv7 } from 'uuid';
import { handler as deliverWebhooks } from '../../functions/workers/deliver-webhooks.ts';
import { ClientAccountEventData } from '../../shared/schemas/client-account.ts';
import type { EventType } from '../../shared/schemas/event-data.ts';
import { LocationEventData } from '../../shared/schemas/location.ts';
import { present } from '../../shared/schemas/projection.ts';
import type { Webhook, WebhookDelivery } from '../../shared/schemas/webhook.ts';
import { change, workOf } from '../../shared/table/change.ts';
import type { OutboxTask } from '../../shared/table/entities/machinery.ts';
import { keys } from '../../shared/table/keys.ts';
import { appendEvents, dropTasks, emit } from '../../shared/table/outbox/outbox.ts';
import { queryRows } from '../../shared/table/rows.ts';
import { findWebhook, webhookJob } from '../../shared/webhooks/records.ts';
import { takeDue } from '../../shared/webhooks/turns.ts';
import { as } from '../support/call.ts';
import { deliver, outboxOf, type WaitingTask, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { again, type SignedIn, signIn } from '../support/signed-in.ts';

/** An organization with an admin who has a session. */
export type Admin = Person & { admin: SignedIn };

export const newAdmin = async (name = 'Harbour'): Promise<Admin> => {
  const person = await newPerson(name);
  return { ...person, admin: await signIn(person) };
};

/** A message as a receiver gets it. */
export interface Received {
  headers: Record<string, string>;
  body: string;
}

export type Behaviour = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** Somebody's endpoint on this machine. It answers 204 until it is told to behave otherwise. */
export interface Receiver {
  url: string;
  received: Received[];
  /** The ids of what it has got, in their order. */
  ids: () => string[];
  behave: (behaviour: Behaviour) => void;
  close: () => void;
}

export const answers =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (_, response) =>
    void response.writeHead(status, headers).end();

export const newReceiver = async (): Promise<Receiver> => {
  let behaviour = answers(204);
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      received.push({ headers: request.headers as Record<string, string>, body });
      behaviour(request, response, body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    ids: () => received.map(({ headers }) => headers['webhook-id']!),
    behave: (next) => {
      behaviour = next;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** A receiver for each test of a file, whose webhooks may end on this machine. @returns the one of the running test */
export const useReceiver = (): (() => Receiver) => {
  let receiver: Receiver;
  beforeEach(async () => {
    process.env['ALLOW_LOOPBACK_WEBHOOKS'] = '1';
    receiver = await newReceiver();
  });
  afterEach(() => {
    receiver.close();
    delete process.env['ALLOW_LOOPBACK_WEBHOOKS'];
  });
  return () => receiver;
};

/** Whether a message is signed with a secret and its time is near, as the library of the standard sees it. */
export const isSigned = ({ headers, body }: Received, secret: string): boolean => {
  try {
    new Verifier(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
};

export const newWebhook = async (
  admin: Admin,
  url: string,
  types: string[] = ['*'],
): Promise<Webhook & { secret: string }> => (await asAdmin(admin)).webhooks.create({ body: { url, types } });

const at = '2026-11-21T09:00:00.000Z';
const id = uuidv7();
const SOURCE = { source: 'local', source_id: null, external_id: null, synced_at: null } as const;

const CLIENT = {
  id,
  created_at: at,
  updated_at: at,
  name: 'Harbour',
  brand_primary: null,
  logo_url: null,
  notes: null,
  external_ref: null,
  is_active: true,
  contact: { name: null, email: null, phone: null },
  digest: null,
  tags: [],
  metadata: {},
  ...SOURCE,
  version: 1,
};

const LOCATION = {
  id,
  created_at: at,
  updated_at: at,
  name: 'Kitchen',
  kind: null,
  client_account_id: null,
  parent_id: null,
  address: null,
  lat: null,
  lng: null,
  timezone: null,
  status: 'active' as const,
  external_ref: null,
  people: [],
  region_id: null,
  tags: [],
  metadata: {},
  ...SOURCE,
  version: 1,
};

/** Emits events of client accounts or locations, as changes do. They are then in the outbox. */
export const emitEvents = async (
  { caller }: Person,
  count = 1,
  type: EventType = 'client_account.created',
): Promise<void> => {
  for (let start = 0; start < count; start += 40) {
    const some = Array.from({ length: Math.min(40, count - start) }, (_, n) => {
      const name = String(start + n);
      const data = type.startsWith('location')
        ? present(LocationEventData, LOCATION, { name })
        : present(ClientAccountEventData, CLIENT, { name });
      return emit(workOf(caller), type, data);
    });
    await change(caller, () => ({ writes: some, reply: undefined }));
  }
};

/** The admin, in a session that begins now: the clock may have moved on. */
export const asAdmin = async ({ admin }: Admin) => as({ session: await again(admin) });

const isDue = (task: OutboxTask): boolean => dueAt(task) <= Date.now();

/** Events become numbered, as by the stream’s worker. */
export const handOnEvents = async ({ caller }: Person): Promise<void> => {
  const events = (await outboxOf(caller)).filter(({ outbox }) => outbox === 'event');
  await appendEvents(caller, events);
};

/** The tasks for the worker that have not been done. */
export const tasksOf = async ({ caller }: Person): Promise<WaitingTask[]> =>
  (await waitingTasks(caller)).filter(({ outbox }) => outbox === 'webhooks');

/**
 * Does what the workers do until nothing is due: numbers events, gives tasks whose time has come to the worker, and
 * takes the endpoints that the sweep would find.
 * @returns the number of tasks that the worker has done
 */
export const settle = async (person: Person): Promise<number> => {
  const { caller } = person;
  for (let done = 0; ;) {
    await handOnEvents(person);
    for await (const { webhook_id } of queryRows(caller, {
      partition: keys.webhookState.partition(caller),
    })) {
      await takeDue(caller, webhook_id, new Date());
    }
    const due = (await tasksOf(person)).filter(isDue);
    if (due.length === 0) return done;
    for (const task of due)
      if (!(await deliver(deliverWebhooks, task))) throw new Error(`failed: ${task.id}`);
    await dropTasks(caller, due);
    done += due.length;
  }
};

const dueAt = ({ occurred_at, delay_seconds = 0 }: OutboxTask): number =>
  Date.parse(occurred_at) + delay_seconds * 1_000;

/** When something is to be done next, in epoch milliseconds; undefined for never. */
const nextTime = async (person: Person): Promise<number | undefined> => {
  const { caller } = person;
  const times = (await tasksOf(person)).map(dueAt);
  for await (const { due_at } of queryRows(caller, { partition: keys.webhookState.partition(caller) })) {
    if (due_at !== null) times.push(Date.parse(due_at));
  }
  return times.length > 0 ? Math.min(...times) + 1 : undefined;
};

/** Makes an endpoint one whose worker or task was lost. */
export const overdue = async ({ caller }: Person, id: string): Promise<void> => {
  const { state } = (await findWebhook(caller, id))!;
  const due_at = new Date(Date.now() - 1_000).toISOString();
  await change(caller, (work) => webhookJob.save(work, state, { due_at }));
};

/** Does what the workers do, whenever there is something to do, until a time has passed or nothing is left to do. */
export const passTime = async (person: Person, seconds = Infinity): Promise<void> => {
  const end = Date.now() + seconds * 1_000;
  for (;;) {
    await settle(person);
    const next = await nextTime(person);
    if (next === undefined && end === Infinity) return;
    const isOver = next === undefined || next >= end;
    jest.setSystemTime(isOver ? end : Math.max(Date.now(), next));
    if (isOver) return;
  }
};

export const shown = async (admin: Admin, { id }: { id: string }): Promise<Webhook> =>
  ((await (await asAdmin(admin)).webhooks.list({})) as Webhook[]).find((each) => each.id === id)!;

export const deliveriesOf = async (
  admin: Admin,
  { id }: { id: string },
  query: Record<string, string | number> = {},
): Promise<WebhookDelivery[]> =>
  (await asAdmin(admin)).webhooks.listDeliveries({ params: { webhook_id: id }, query });
