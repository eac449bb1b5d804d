import type { Caller } from '../../base/caller.ts';
import type { EventType } from '../../schemas/event-data.ts';
import type { OutboxEvent, OutboxRow } from '../../table/entities/machinery.ts';
import { eventData } from '../../table/outbox/outbox.ts';
import { countTouched, type Item } from './count.ts';

/** What belongs to an inspection, in the data of its events. */
interface Part {
  id: string;
  inspection_id: string;
}

/** Events after which nothing counts otherwise. */
const WITHOUT_EFFECT: ReadonlySet<EventType> = new Set([
  'inspection.answers_saved',
  'corrective_action.commented',
]);

/** Whether an event is of something that counts. */
const isCounted = ({ type }: Pick<OutboxEvent, 'type'>): boolean =>
  /^(inspection|finding|corrective_action)\./.test(type) && !WITHOUT_EFFECT.has(type);

/** The id of the inspection that an event is about. */
const inspectionOf = (event: OutboxEvent): string => {
  const data = eventData(event) as Part;
  return event.type.startsWith('inspection.') ? data.id : data.inspection_id;
};

/** The inspection that what waits in the outbox will let be counted; undefined when it is about something else. */
export const waitsToBeCounted = (row: OutboxRow): string | undefined =>
  row.outbox === 'event' && isCounted(row) ? inspectionOf(row) : undefined;

/** Counts what these events of one organization have changed, as it is now. It may be repeated. */
export const countEvents = async (caller: Caller, events: readonly OutboxEvent[]): Promise<void> => {
  const inspections = new Set<string>();
  const items: Item[] = [];
  for (const event of events.filter(isCounted)) {
    const inspection_id = inspectionOf(event);
    if (event.type.startsWith('inspection.')) {
      inspections.add(inspection_id);
      continue;
    }
    const what = event.type.startsWith('finding.') ? 'FINDING' : 'ACTION';
    items.push({ what, inspection_id, id: (eventData(event) as Part).id });
  }
  if (inspections.size + items.length > 0) await countTouched(caller, { inspections, items });
};
