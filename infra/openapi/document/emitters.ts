import { isBrowserStep, isPublic, routeOf } from '../../../shared/http/operation/surface.ts';
import { EVENT_TYPES, type EventType } from '../../../shared/schemas/event-data.ts';
import type { Catalogue, OperationEntry } from '../../catalogue.ts';

const SERVICE = 'the service itself';

/** How the table names an operation. No program calls a page or a step of the sign-in. */
const nameOf = ({ operation }: OperationEntry): string => {
  if (isPublic(operation)) return 'a page of a link';
  return isBrowserStep(operation) ? 'a sign-in' : `\`${operation.method} ${routeOf(operation)}\``;
};

/**
 * A table of all events and of what emits each, as it was recorded: operations, pages, and the service itself, such as
 * when a schedule creates an inspection.
 */
export const emitters = ({ operations, workers }: Catalogue): string => {
  const named: { name: string; events: readonly EventType[] }[] = [
    ...operations.map((entry) => ({ name: nameOf(entry), events: entry.recorded?.events ?? [] })),
    ...workers.map(({ recorded }) => ({ name: SERVICE, events: recorded?.events ?? [] })),
  ];
  const rows = EVENT_TYPES.map((type) => {
    const names = named.filter(({ events }) => events.includes(type)).map(({ name }) => name);
    // What a worker emits in rare cases is not recorded.
    const all = names.length > 0 ? new Set(names) : [SERVICE];
    return `| \`${type}\` | ${[...all].join(', ')} |`;
  });
  return ['| Event | Emitted by |', '|---|---|', ...rows].join('\n');
};
