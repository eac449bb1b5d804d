import { AsyncLocalStorage } from 'node:async_hooks';
import type { InspectionActivity } from '../../shared/schemas/inspections/activity.ts';
import { interceptCommands, type Sending } from './commands.ts';

/** A row that a transaction creates, as far as it tells somebody something. */
interface Told {
  pk: string;
  sk: string;
  outbox?: string;
  type?: string;
  event?: string;
  kind?: InspectionActivity['kind'];
  action?: string;
  delay_seconds?: number;
  data?: { what?: string; user_ids?: string[]; emails?: string[] };
}

/** Names of members by their user ids. */
export type Names = Readonly<Record<string, string>>;

const recipientsOf = ({ user_ids = [], emails = [] }: NonNullable<Told['data']>, names: Names): string =>
  [...user_ids.map((id) => names[id] ?? id), ...emails].toSorted().join(', ');

const linesOf = ({ pk, sk, ...row }: Told, names: Names): string[] => {
  if (row.outbox === 'event') return [`event ${row.type}`];
  if (row.outbox === 'mail' && row.data?.what === 'notice')
    return [`mail to ${recipientsOf(row.data, names)}`];
  if (row.outbox) {
    const { data, delay_seconds: delay } = row;
    return [
      ['task', row.outbox, ...(data?.what ? [data.what] : []), ...(delay ? [`in ${delay} s`] : [])].join(' '),
    ];
  }
  const [, reader] = /#UNREAD#(.+)$/.exec(pk) ?? [];
  if (reader) return [`${names[reader] ?? reader} reads ${row.event}`];
  if (sk.startsWith('INSPECTION_ACTIVITY#')) return [`history ${row.kind}`];
  return pk.endsWith('#AUDIT') ? [`audit ${row.action}`] : [];
};

const hearing = new AsyncLocalStorage<{ names: Names; lines: string[] }>();

const listen = async (sending: Sending): Promise<object> => {
  const output = await sending.send();
  const heard = hearing.getStore();
  const items = (sending.input['TransactItems'] ?? []) as { Put?: { Item: Told } }[];
  heard?.lines.push(...items.flatMap(({ Put }) => (Put ? linesOf(Put.Item, heard.names) : [])));
  return output;
};

/** Listens to every transaction that is sent within `heardOf`. Called once in a test file. */
export const installHearing = (): void => interceptCommands('hearing', listen);

/**
 * All that others hear of a piece of work, in alphabetical order: its events, notifications, mails, entries in histories
 * and in the audit log, and tasks for workers.
 */
export const heardOf = async (names: Names, work: () => Promise<unknown>): Promise<string[]> => {
  const lines: string[] = [];
  await hearing.run({ names, lines }, work);
  return lines.toSorted();
};
