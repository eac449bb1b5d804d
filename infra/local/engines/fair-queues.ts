/*
 * SQS gives messages of a quiet organization out before those of one with many in flight (Amazon SQS, "Fair queues").
 * fauxqs forgets the group of a message to such a queue, and gives out whatever is first. Here its queues get the same
 * fairness: the group is the organization that the task in the message names, and the next message is the oldest of the
 * group that has the fewest in flight. And a worker of this process says of how many more messages of a group it has
 * room for: Lambda has tens of instances, this process a few.
 */

/** Of how many more messages of a group a worker has room for. */
export type Room = (group: string | undefined) => number;

/** What workers of this process have room for, by the names of their queues. */
const rooms = new Map<string, Room>();

/** Has a queue of this process give out no more messages of a group than its worker has room for. */
export const limitGroups = (queueUrl: string, room: Room): void => {
  rooms.set(nameOfQueue(queueUrl), room);
};

/** What the worker of a queue of this process has room for; undefined where it has none, or is elsewhere. */
export const roomOf = (queueUrl: string): Room | undefined => rooms.get(nameOfQueue(queueUrl));

const nameOfQueue = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

interface Grouped {
  messageGroupId?: string | undefined;
}

/** The organization of the task in a message; undefined for what another service has sent. */
const organizationIn = (body: string): string | undefined => {
  try {
    const { org_id } = JSON.parse(body) as { org_id?: unknown };
    return typeof org_id === 'string' ? org_id : undefined;
  } catch {
    return undefined;
  }
};

/**
 * The messages that a queue gives out next.
 * @param waiting in the order in which they came
 * @param inFlight those that were given out and have not ended. A message without a group is a group of its own
 */
export const nextMessages = <Message extends Grouped>(
  waiting: readonly Message[],
  inFlight: readonly Grouped[],
  count: number,
  room: Room = () => Infinity,
): Message[] => {
  const groupOf = (message: Message) => message.messageGroupId ?? message;
  const groups = [...Map.groupBy(waiting, groupOf)].map(([group, messages]) => {
    const own = inFlight.filter(({ messageGroupId }) => messageGroupId === group).length;
    return { messages, own, taken: 0, most: Math.min(messages.length, room(messages[0]!.messageGroupId)) };
  });
  const next: Message[] = [];
  while (next.length < count) {
    let fewest: (typeof groups)[number] | undefined;
    for (const group of groups) {
      if (group.taken >= group.most) continue;
      if (!fewest || group.own + group.taken < fewest.own + fewest.taken) fewest = group;
    }
    if (!fewest) break;
    next.push(fewest.messages[fewest.taken]!);
    fewest.taken += 1;
  }
  return next;
};

/** A queue of fauxqs, as far as it is used here. */
interface FauxQueue {
  readonly name: string;
  messages: Grouped[];
  inflightMessages: Map<string, { message: Grouped }>;
  processTimers: () => void;
  enqueue: (message: Grouped & { body: string }) => void;
  dequeue: (count: number, ...rest: unknown[]) => unknown[];
}

/** Makes all queues of fauxqs in this process fair. */
export const makeQueuesFair = async (): Promise<void> => {
  // The package does not export its queues.
  const { SqsQueue } = (await import(new URL('sqs/sqsStore.js', import.meta.resolve('fauxqs')).href)) as {
    SqsQueue: { prototype: FauxQueue & { isFair?: true } };
  };
  const { prototype } = SqsQueue;
  if (prototype.isFair) return;
  prototype.isFair = true;
  const { enqueue, dequeue } = prototype;
  prototype.enqueue = function (this: FauxQueue, message) {
    message.messageGroupId ??= organizationIn(message.body);
    enqueue.call(this, message);
  };
  prototype.dequeue = function (this: FauxQueue, count, ...rest) {
    this.processTimers();
    const inFlight = [...this.inflightMessages.values()].map(({ message }) => message);
    const next = nextMessages(this.messages, inFlight, count, roomOf(this.name));
    const chosen = new Set(next);
    const others = this.messages.filter((message) => !chosen.has(message));
    this.messages = next;
    const received = dequeue.call(this, count, ...rest);
    this.messages.push(...others);
    return received;
  };
};
