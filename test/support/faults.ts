import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { currentRequest } from '../../shared/base/request.ts';
import { RETRY } from '../../shared/table/retry.ts';
import { interceptCommands, type Interceptor as Fault, type Sending } from './commands.ts';

export type { Fault };

/** The rows in what DynamoDB answers. */
interface Output {
  Item?: object;
  Items?: object[];
  Attributes?: object;
  Responses?: Record<string, object[]>;
}

const faults = new AsyncLocalStorage<Fault>();

/** Passes every command that is sent within `withFault` to its fault. Called once in a test file. */
export const installFaults = (command?: { prototype: object }): void =>
  interceptCommands('faults', (sending) => (faults.getStore() ?? (({ send }) => send()))(sending), command);

/** Runs `work`, whose commands go through `fault`. */
export const withFault = <Result>(fault: Fault, work: () => Promise<Result>): Promise<Result> =>
  faults.run(fault, work);

/** An error as the SDK throws it. */
export const sdkError = (name: string, fields: object = {}): Error =>
  Object.assign(new Error(name), { name, $metadata: {}, ...fields });

export const timeout = () => sdkError('TimeoutError');
export const throttled = () =>
  sdkError('ProvisionedThroughputExceededException', { $metadata: { httpStatusCode: 400 } });
/** DynamoDB's error for a transaction whose first item is part of another running transaction. */
export const transactionConflict = (items: number) =>
  sdkError('TransactionCanceledException', {
    $metadata: { httpStatusCode: 400 },
    CancellationReasons: Array.from({ length: items }, (_, position) => ({
      Code: position === 0 ? 'TransactionConflict' : 'None',
    })),
  });

/** The command is done, but its reply is lost. */
export const loseReply: Fault = async ({ send }) => {
  await send();
  throw timeout();
};

/** Each query ends its page after one row, as it does in the cloud after a megabyte. */
export const shortPages: Fault = ({ command, input, send }) => {
  if (command === 'Query') input['Limit'] = 1;
  return send();
};

/** Each BatchGetItem reads only its first key and leaves the others to be asked for again, as under load. */
export const unprocessedKeys: Fault = async ({ command, input, send }) => {
  if (command !== 'BatchGetItem') return send();
  const [[table, request]] = Object.entries(input['RequestItems'] as object) as [
    [string, { Keys: unknown[] }],
  ];
  const [only, ...rest] = request.Keys;
  input['RequestItems'] = { [table]: { ...request, Keys: [only] } };
  const output = await send();
  return { ...output, ...(rest.length > 0 && { UnprocessedKeys: { [table]: { ...request, Keys: rest } } }) };
};

/** What every row that is read has beside its own attributes, and every object within it. No schema declares it. */
export const UNDECLARED = 'undeclared_attribute';

/** Attributes whose keys are data: a projection gives all that they hold. */
const KEYED_BY_DATA = new Set([
  'start_answers',
  'value',
  'mappings',
  'value_maps',
  'metadata',
  'filter',
  'from',
  'to',
]);

const withUndeclared = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withUndeclared);
  if (value === null || typeof value !== 'object' || value.constructor !== Object) return value;
  const own = Object.entries(value).map(([name, each]) => [
    name,
    KEYED_BY_DATA.has(name) ? each : withUndeclared(each),
  ]);
  return { ...Object.fromEntries(own), [UNDECLARED]: 'a value' };
};

/** The text of a file or mail that is stored or sent. */
const leaving = (input: Sending['input']): string => {
  const { Body, Content } = input as { Body?: unknown; Content?: { Raw?: { Data?: unknown } } };
  const sent = Body ?? Content?.Raw?.Data;
  if (!(sent instanceof Uint8Array)) return String(sent);
  return (sent[0] === 0x1f && sent[1] === 0x8b ? gunzipSync(sent) : Buffer.from(sent)).toString('latin1');
};

/**
 * Each row that is read holds what no schema declares, as one does that a later version of the service has written. It
 * may stand in no file and no mail.
 */
export const undeclaredAttributes: Fault = async ({ client, input, send }) => {
  if (client !== 'DynamoDBClient') {
    if (leaving(input).includes(UNDECLARED)) throw new Error('an undeclared attribute leaves the service');
    return send();
  }
  const output: Output = await send();
  const { Item, Items, Attributes, Responses } = output;
  return {
    ...output,
    ...(Item && { Item: withUndeclared(Item) }),
    ...(Items && { Items: Items.map(withUndeclared) }),
    ...(Attributes && { Attributes: withUndeclared(Attributes) }),
    ...(Responses && {
      Responses: Object.fromEntries(
        Object.entries(Responses).map(([table, rows]) => [table, rows.map(withUndeclared)]),
      ),
    }),
  };
};

/** Limits a fault to the commands for which `concerned` is true. */
export const on =
  (concerned: (sending: Sending) => boolean, fault: Fault): Fault =>
  (sending) =>
    concerned(sending) ? fault(sending) : sending.send();

/** Limits a fault to the first `times` commands. */
export const first = (times: number, fault: Fault): Fault => {
  let left = times;
  return (sending) => {
    left -= 1;
    return left >= 0 ? fault(sending) : sending.send();
  };
};

/** A process that ends without a word. */
export class Killed extends Error {
  override name = 'Killed';
}

/** Lets so many commands through; at the next one the process is dead, before or after that command was done. */
export const killAfter = (commands: number, isDone: boolean): { fault: Fault; isReached: () => boolean } => {
  let left = commands;
  return {
    fault: async ({ send }) => {
      left -= 1;
      if (left >= 0) return send();
      if (left === -1 && isDone) await send();
      throw new Killed();
    },
    isReached: () => left < 0,
  };
};

/** What happens when somebody else acts while a piece of work is under way. */
export interface Overtaken<Prepared> {
  /** Makes what the work is about. It is made anew for each place in which somebody acts. */
  prepare: () => Promise<Prepared>;
  work: (prepared: Prepared) => Promise<unknown>;
  act: (prepared: Prepared) => Promise<unknown>;
  /** What must hold after both, wherever the act came. */
  check: (prepared: Prepared) => Promise<void>;
}

/**
 * Runs a piece of work, while somebody else acts once: before the command at a place, or after the work if it has ended by
 * then.
 * @returns whether it had ended
 */
export const overtake = async <Prepared>(
  { prepare, work, act, check }: Overtaken<Prepared>,
  place: number,
): Promise<boolean> => {
  const prepared = await prepare();
  let left = place;
  // The commands of the act pass: they come when none are left to wait for.
  const actOnce: Fault = async ({ send }) => {
    left -= 1;
    if (left === -1) await act(prepared);
    return send();
  };
  await withFault(actOnce, () => work(prepared));
  const hasEnded = left >= 0;
  if (hasEnded) await act(prepared);
  try {
    await check(prepared);
  } catch (error) {
    throw new Error(`somebody acted before the command ${place}`, { cause: error });
  }
  return hasEnded;
};

/**
 * Runs a piece of work again and again. Each time somebody else acts once between two of its commands: before the first
 * one, before the second one, and so on, and at last after it has ended.
 * @returns the number of places in which somebody acted while the work was under way
 */
export const between = async <Prepared>(overtaken: Overtaken<Prepared>): Promise<number> => {
  let places = 0;
  while (!(await overtake(overtaken, places))) places += 1;
  return places;
};

/** Random faults: refused commands and lost replies, at these rates. */
export const chaos =
  (random: () => number, rates: { refused: number; lost: number }): Fault =>
  async ({ input, send }) => {
    await sleep(random() * 3);
    const drawn = random();
    if (drawn < rates.refused) {
      const items = (input['TransactItems'] as unknown[] | undefined)?.length;
      if (items !== undefined && random() < 0.5) throw transactionConflict(items);
      throw random() < 0.5 ? throttled() : timeout();
    }
    const output = await send();
    if (drawn > 1 - rates.lost) throw timeout();
    return output;
  };

/** Failures after which every piece of work may try again, however long they took. */
const FORGIVEN = 3;

/**
 * Shortens the time for retries, so that tests of an outage end soon. It counts only after some failures of a request, or
 * of a test outside a request: what fails once or twice succeeds on a busy machine as well.
 * @param budget in milliseconds
 */
export const impatient = (budget = 300): void => {
  const failures = new Map<unknown, number>();
  Object.defineProperty(RETRY, 'budget', {
    configurable: true,
    get: () => {
      const whose = currentRequest() ?? expect.getState().currentTestName;
      const count = (failures.get(whose) ?? 0) + 1;
      failures.set(whose, count);
      return count <= FORGIVEN ? Infinity : budget;
    },
  });
};
