import { optionalEnvironment } from '../base/environment.ts';
import { capitalized, type Reader } from '../domain/mail/reader.ts';
import { type MailItem, recordOf } from '../domain/notifications/mail-items.ts';
import { shortName } from '../domain/notifications/text.ts';
import { fill, pluralText } from '../i18n/plural.ts';
import { NOTIFICATION_TEXTS } from '../i18n/texts/notifications.ts';
import type { Block } from './page.ts';
import type { Surroundings } from './surroundings.ts';

/** Inspections and issues that a subject names. */
const MAX_NAMES = 3;

/** Where people open an inspection; null where the deployment names no such page. */
const inspectionUrl = (id: string): string | null =>
  optionalEnvironment('INSPECTION_URL')?.replaceAll('{inspection_id}', id) ?? null;

const isOfActions = ({ event }: MailItem): boolean => event.startsWith('corrective_action_');

/** What happened, in a few words. */
const statusOf = (item: MailItem, { texts, language }: Reader): string => {
  const { status } = NOTIFICATION_TEXTS[language].events[item.event];
  if (typeof status !== 'string') return pluralText(language, status, item.count);
  return item.count > 1 ? `${status} (${pluralText(language, texts.actions, item.count)})` : status;
};

/** The subject of one item, such as “Kitchen 4: 6 findings”. A single action has a name of its own. */
const subjectOf = (item: MailItem, reader: Reader): string => {
  const [entry] = item.entries;
  const name = isOfActions(item) && item.count === 1 && entry ? entry.name : recordOf(item).name;
  return fill(reader.texts.subject, { name: shortName(name), what: statusOf(item, reader) });
};

/** The subject of a mail: that of its only item, or how much there is about what. */
export const digestSubject = (items: readonly MailItem[], left_out: number, reader: Reader): string => {
  const [first] = items;
  if (first && items.length + left_out === 1) return subjectOf(first, reader);
  const { texts, language } = reader;
  const what = pluralText(language, texts.updates, items.length + left_out);
  const names = [
    ...new Map(items.map((item) => [recordOf(item).id, shortName(recordOf(item).name)])).values(),
  ];
  const named = new Intl.ListFormat(language, { type: 'unit', style: 'short' }).format(
    names.slice(0, MAX_NAMES),
  );
  return fill(texts.subject, { name: names.length > MAX_NAMES ? `${named}…` : named, what });
};

/** An entry's number and name, and for an action when it is due. */
const entryOf = (
  { id, number, name }: MailItem['entries'][number],
  { dueOf }: Surroundings,
  { texts, dateTime }: Reader,
): Block['entries'][number] => {
  const due = dueOf.get(id);
  return {
    name: `${number} · ${shortName(name)}`,
    detail: due ? `${texts.labels.due}: ${dateTime(due)}` : null,
  };
};

const blockOf = (item: MailItem, surroundings: Surroundings, reader: Reader): Block => {
  const { texts, language, dateTime } = reader;
  const { inspection, entries, count, note, actor_id } = item;
  const record = recordOf(item);
  const place = surroundings.placeOf.get(record.id);
  const actor = actor_id === null ? undefined : surroundings.nameOf.get(actor_id);
  const number = record.number === undefined ? undefined : String(record.number);
  const facts: (readonly [string, string | null | undefined])[] = [
    [inspection ? texts.labels.inspection : texts.labels.issue, number],
    [texts.labels.client, place?.client],
    [texts.labels.location, place?.location],
    [texts.labels.due, place?.due_at && dateTime(place.due_at)],
    [texts.labels.by, actor],
  ];
  return {
    title: shortName(record.name),
    url: inspection ? inspectionUrl(inspection.id) : null,
    status: capitalized(statusOf(item, reader), language),
    facts: facts.flatMap(([label, value]) => (value ? [[label, value] as const] : [])),
    entries: entries.map((entry) => entryOf(entry, surroundings, reader)),
    more: count > entries.length ? pluralText(language, texts.more, count - entries.length) : null,
    note: note === '' ? null : { label: texts.labels.comment, text: note },
  };
};

/** What a mail says about events: its subject, a block for each item, and its one link. */
export const digest = (
  items: readonly MailItem[],
  left_out: number,
  surroundings: Surroundings,
  reader: Reader,
) => {
  const blocks = items.map((item) => blockOf(item, surroundings, reader));
  const urls = new Set(blocks.map(({ url }) => url));
  const [url] = urls;
  return {
    subject: digestSubject(items, left_out, reader),
    // Several inspections have a link each, in their titles. Nothing else has one.
    blocks: urls.size === 1 ? blocks.map((block) => ({ ...block, url: null })) : blocks,
    action: urls.size === 1 && url ? { label: reader.texts.openInspection, url } : null,
    hints: left_out > 0 ? [pluralText(reader.language, reader.texts.more, left_out)] : [],
  };
};
