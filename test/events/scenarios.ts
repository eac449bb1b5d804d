import { change } from '../../shared/table/change.ts';
import type { OutboxRow } from '../../shared/table/entities/machinery.ts';
import { appendEvents } from '../../shared/table/outbox/outbox.ts';
import { notedEvent } from '../support/outbox.ts';
import type { Person } from '../support/people.ts';
import type { Scenarios } from '../support/scenarios.ts';

/** An event that a change has written and the worker has published. */
const newEvent = async ({ caller }: Person): Promise<void> => {
  const write = notedEvent(caller, 'Done');
  await change(caller, () => ({ writes: [write], reply: undefined }));
  await appendEvents(caller, [write.item.Put!.Item as OutboxRow]);
};

export const scenarios: Scenarios = {
  listEvents: [
    async (person) => {
      await newEvent(person);
      return {};
    },
    async (person) => {
      await newEvent(person);
      return { query: { after: 0, limit: 1 } };
    },
    async (person) => {
      await newEvent(person);
      return { query: { since: '2026-01-01T00:00:00Z', types: ['inspection.*', 'report.ready'] } };
    },
  ],
};
