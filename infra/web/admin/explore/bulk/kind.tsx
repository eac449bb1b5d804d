import type { BulkChange } from '../../../../../shared/schemas/bulk-change.ts';
import { fill, numberText } from '../../formats.ts';
import { t, words } from '../../page.ts';
import { Chip, Time } from '../../ui/parts.tsx';
import type { Column } from '../../ui/table.tsx';
import { fact, type Fact } from '../facts.tsx';
import { LinkTo, Person } from '../links.tsx';
import { BulkProgress } from './progress.tsx';
import { bulkTitle, OUTCOMES, STATUS_MOODS, STATUSES } from './words.ts';

const x = t.bulk;

const isText = (value: unknown): value is string => typeof value === 'string';

/** Which rows a bulk change is about. */
const Selection = ({ filter }: BulkChange) => {
  const { ids, ...filters } = filter as { ids?: readonly string[] };
  if (ids) return <>{fill(x.selected, { n: numberText(ids.length) })}</>;
  return (
    <>
      {x.found}
      {Object.entries(filters).map(([name, value]) => (
        <span class="sub" key={name}>
          <code dir="ltr">
            {name}={isText(value) ? value : [value].flat().join(',')}
          </code>
        </span>
      ))}
    </>
  );
};

/** What is done, as far as it has values. */
const actionFacts = ({ resource, action }: BulkChange): (Fact | null)[] => {
  switch (action.type) {
    case 'reassign':
      return [
        [words.assignee, <Person id={action.to} nobody={words.unassigned} />],
        fact(x.from, action.from && <Person id={action.from} />),
      ];
    case 'set_due':
      return [[words.due, action.due_at ? <Time at={action.due_at} /> : x.none]];
    case 'tag':
      return [
        fact(x.addTags, action.add.length > 0 && <bdi>{action.add.join(', ')}</bdi>),
        fact(x.removeTags, action.remove.length > 0 && <bdi>{action.remove.join(', ')}</bdi>),
      ];
    case 'move':
      return [
        [
          resource === 'locations' ? t.explore.partOf : words.location,
          action.location_id ? <LinkTo place="locations" id={action.location_id} /> : x.none,
        ],
      ];
    case 'set_contact':
      return [
        [
          t.explore.contact,
          action.contact ? <bdi>{Object.values(action.contact).filter(Boolean).join(', ')}</bdi> : x.none,
        ],
      ];
    case 'verify':
    case 'cancel':
      return [fact(words.note, action.note && <bdi>{action.note}</bdi>)];
    case 'archive':
      return [fact(words.reason, action.reason && <bdi>{action.reason}</bdi>)];
  }
};

const State = ({ status }: Pick<BulkChange, 'status'>) => (
  <Chip mood={STATUS_MOODS[status]}>{STATUSES[status]}</Chip>
);

const COUNTED = ['changed', 'planned', 'refused', 'outdated'] as const;

/** How many rows have come to what, without those of which there are none. */
const countsText = (bulk: BulkChange): string =>
  COUNTED.filter((outcome) => bulk[outcome] > 0)
    .map((outcome) => `${OUTCOMES[outcome]}: ${numberText(bulk[outcome])}`)
    .join(' · ');

const COLUMNS: readonly Column<BulkChange>[] = [
  {
    title: x.what,
    cell: (row) => <LinkTo place="bulk-changes" id={row.id} title={bulkTitle(row)} />,
  },
  { title: t.common.status, cell: State },
  { title: t.integrations.rows, cell: (row) => countsText(row) || numberText(row.total) },
  { title: t.audit.who, cell: (row) => <Person id={row.requested_by} via={row.acted_via_key_id} /> },
  { title: t.common.created, cell: ({ created_at }) => <Time at={created_at} /> },
];

/** What the app shows of bulk changes: in their list, and on the page of one. */
export const bulkChanges = {
  place: 'bulk-changes' as const,
  name: t.tabs['bulk-changes'].name,
  filters: [
    { name: 'status', label: t.common.status, options: [['', t.common.all], ...Object.entries(STATUSES)] },
  ],
  title: bulkTitle,
  state: State,
  Acts: BulkProgress,
  columns: COLUMNS,
  facts: (row: BulkChange) => [
    ...actionFacts(row),
    [x.rows, <Selection {...row} />],
    [t.audit.who, <Person id={row.requested_by} via={row.acted_via_key_id} />],
    [t.common.created, <Time at={row.created_at} />],
    fact(t.explore.ended, row.ended_at && <Time at={row.ended_at} />),
    [x.keptUntil, <Time at={row.expires_at} isDay />],
  ],
  related: (): never[] => [],
};
