import { EVENTS } from '../../shared/schemas/event-data.ts';
import type { OutboxEvent, OutboxRow } from '../../shared/table/entities/machinery.ts';
import { eventData } from '../../shared/table/outbox/outbox.ts';
import { interceptCommands, type Sending } from './commands.ts';

/** The events among the rows that a command creates. */
export const eventsIn = ({ input }: Sending): OutboxEvent[] => {
  const items = (input['TransactItems'] ?? []) as { Put?: { Item: OutboxRow } }[];
  return items.flatMap(({ Put }) => (Put?.Item.outbox === 'event' ? [Put.Item] : []));
};

/** Why the data of an event is not what its type declares. Nothing where it is. */
const problemsOf = (event: OutboxEvent): string[] => {
  const { error } = EVENTS[event.type].data.safeParse(eventData(event));
  return error ? [`${event.type}: ${error.message}`] : [];
};

/** Checks the data of every event that the tests of a file emit. It is part of `people.ts`, without which there are none. */
const checkEvents = (): void => {
  const problems: string[] = [];
  interceptCommands('event check', (sending) => {
    problems.push(...eventsIn(sending).flatMap(problemsOf));
    return sending.send();
  });
  const expectNone = () => expect(problems.splice(0)).toEqual([]);
  afterEach(expectNone);
  afterAll(expectNone);
};

// The benchmarks make people as well, and they have no tests.
if ('afterEach' in globalThis) checkEvents();
