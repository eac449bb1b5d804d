import { type Key, kindOf, type RowKind } from '../../shared/table/keys.ts';
import { TABLE } from '../../shared/table/table.ts';

/** How long rows of a kind are kept from when they are written, in days: always, or from the least to the most. */
const KEPT: Partial<Record<RowKind, number | readonly [number, number]>> = {
  audit: 400,
  BULK_CHANGE: 60,
  BULK_EXPORT: 60,
  // From when the export was requested.
  bulkItem: [59, 60],
  // From when the bulk change was requested.
  bulkRow: [59, 60],
  bulkSelected: [59, 60],
  bulkSelection: [59, 60],
  claim: 1,
  contactForm: 30,
  contactReminder: 8,
  // From when the event was emitted, also when it is sent for days.
  delivery: [27, 30],
  // From the change that it tells of, which may have waited for its turn.
  changedAnswers: [399, 400],
  endedQuestion: 100,
  event: [399, 400],
  export: 60,
  exportedBytes: 32,
  // From when the bulk change was requested.
  heldNotice: [59, 60],
  // Ten days after the last of 34 days on which it may be sent.
  heldMail: 44,
  integrationActivity: 400,
  // A link ends with what it leads to, 400 days later at most.
  // An hour longer than the minute that it counts.
  keyRefusals: 1 / 24,
  link: [0, 400],
  loggedRequest: 1,
  // Thirty days from when it leaves, which a full day of the organization's mails moves weeks away.
  mail: [30, 94],
  // Two days from the beginning of the day that it counts, which may be weeks away.
  mailCount: [1, 60],
  mailFate: 8,
  monthCount: 434,
  // As long as its link works.
  openQuestion: [7, 30],
  ownSession: 0.5,
  pageEnd: 1 / 24,
  pendingDelivery: [27, 30],
  readNotification: 90,
  replyPart: 1,
  seenPage: 2,
  session: [0, 2 / 24],
  // 400 days after the link has ended.
  shareLink: [401, 765],
  signatureLink: [401, 490],
  // Two days, or the seconds for which somebody asks.
  slot: [0, 2],
  submission: 30,
  syncRun: 90,
  unreadNotification: 90,
  unsentLink: 1,
  // An hour longer than the hour or the day that it counts.
  visits: [1 / 24, 25 / 24],
  webhookReplay: 30,
};

const DAY = 86_400;

/** Seconds of the code between reading the clock and writing, also on a busy machine. */
const LATE = 600;

interface Written {
  Item?: Key & Record<string, unknown>;
  Key?: Key;
  UpdateExpression?: string;
  ExpressionAttributeNames?: Readonly<Record<string, string>>;
  ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

/** When a write ends its row, in epoch seconds; undefined when it says nothing of it. */
const endOf = ({ Item, UpdateExpression = '', ...expressions }: Written): unknown => {
  if (Item) return Item[TABLE.timeToLive];
  const names = Object.entries(expressions.ExpressionAttributeNames ?? {});
  const [name] = names.find(([, attribute]) => attribute === TABLE.timeToLive) ?? [];
  const [, value] = new RegExp(`${name} = (:\\w+)`).exec(UpdateExpression) ?? [];
  return value && expressions.ExpressionAttributeValues?.[value];
};

/**
 * Expects that each row that a command writes is kept as long as its kind is, by the clock of the test. A row that ends
 * at once may be of any kind.
 * @throws Error for another end, and for a kind that the table leaves out
 */
export const expectKept = (command: Readonly<Record<string, unknown>>): void => {
  const items = command['TransactItems'] as readonly Readonly<Record<string, Written>>[] | undefined;
  const writes = items ? items.flatMap((item) => Object.values(item)) : [command as Written];
  for (const written of writes) {
    const end = endOf(written);
    const now = Date.now() / 1_000;
    if (typeof end !== 'number' || end <= now + 1) continue;
    const kind = kindOf((written.Item ?? written.Key)!);
    const kept = kind && KEPT[kind];
    const [least, most] = typeof kept === 'number' ? [kept, kept] : (kept ?? [0, 0]);
    const seconds = end - now;
    if (seconds >= least * DAY - LATE && seconds <= most * DAY + LATE) continue;
    const message = `a row of kind ${kind} is kept for ${seconds / DAY} days`;
    // What the service makes of an error of the table does not tell its message.
    process.stderr.write(`${message}\n`);
    throw new Error(message);
  }
};
