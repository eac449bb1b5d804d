import { useState } from 'preact/hooks';
import type { ApiKey } from '../../../../shared/schemas/api-key.ts';
import type { AuditEntry } from '../../../../shared/schemas/audit.ts';
import type { Member } from '../../../../shared/schemas/member.ts';
import { startOfDay } from '../formats.ts';
import { useLoaded, usePages } from '../hooks.ts';
import { addressOf, t } from '../page.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { SelectField, TextField } from '../ui/fields.tsx';
import { Button, Empty, Foreign, Skeleton, Time } from '../ui/parts.tsx';
import { type Column, More, Table } from '../ui/table.tsx';
import { ARROW } from '../ui/words.ts';

const PATH = '/audit';

const ACTIONS = Object.entries(t.audit.actions);

const actionText = (action: string): string => ACTIONS.find(([each]) => each === action)?.[1] ?? action;

/** A value of a change, in one line. */
const valueText = (value: unknown): string => {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? t.common.yes : t.common.no;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const Changes = ({ changes }: Pick<AuditEntry, 'changes'>) => (
  <>
    {Object.entries(changes ?? {}).map(([path, { from, to }]) => (
      <span class="sub" key={path}>
        <code>{path}</code> <bdi>{valueText(from)}</bdi> {ARROW} <bdi>{valueText(to)}</bdi>
      </span>
    ))}
  </>
);

/** @param names those of members and keys, by their ids */
const columnsFor = (names: ReadonlyMap<string, string>): Column<AuditEntry>[] => [
  {
    title: t.audit.what,
    cell: ({ action, target_id, actor }) => (
      <>
        {actionText(action)}
        {target_id !== actor.id && names.has(target_id) && <Foreign>{names.get(target_id)}</Foreign>}
      </>
    ),
  },
  {
    title: t.audit.who,
    cell: ({ actor }) => (
      <>
        <bdi>
          {actor.kind === 'operator' ? t.audit.platform : (actor.name ?? names.get(actor.id) ?? actor.id)}
        </bdi>
        {actor.acted_via_key_id && (
          <Foreign>{names.get(actor.acted_via_key_id) ?? actor.acted_via_key_id}</Foreign>
        )}
      </>
    ),
  },
  { title: t.audit.changes, cell: ({ changes }) => <Changes changes={changes} /> },
  { title: t.audit.when, cell: ({ at }) => <Time at={at} /> },
];

interface Filter {
  actor: string;
  action: string;
  from: string;
  to: string;
}

const ALL: Filter = { actor: '', action: '', from: '', to: '' };

const queryOf = ({ actor, action, from, to }: Filter): string =>
  new URLSearchParams({
    ...(actor && { actor_id: actor }),
    ...(action && { action }),
    ...(from && { from: startOfDay(from) }),
    ...(to && { to: startOfDay(to, 1) }),
  }).toString();

interface FiltersProps {
  filter: Filter;
  people: readonly Member[];
  onChange: (change: Partial<Filter>) => void;
}

const Filters = ({ filter, people, onChange }: FiltersProps) => (
  <div class="filters">
    <SelectField
      label={t.audit.who}
      value={filter.actor}
      options={[
        ['', t.common.all],
        ...people.map(({ user_id, name }) => [user_id, name] as const),
        ['operator', t.audit.platform],
      ]}
      onChange={(actor) => onChange({ actor })}
    />
    <SelectField
      label={t.audit.what}
      value={filter.action}
      options={[['', t.common.all], ...ACTIONS]}
      onChange={(action) => onChange({ action })}
    />
    <TextField label={t.audit.from} type="date" value={filter.from} onChange={(from) => onChange({ from })} />
    <TextField label={t.audit.to} type="date" value={filter.to} onChange={(to) => onChange({ to })} />
  </div>
);

/** Who changed access and settings. */
export const Audit = () => {
  const [filter, setFilter] = useState(ALL);
  const query = queryOf(filter);
  const records = usePages<AuditEntry>(`${PATH}${query && `?${query}`}`);
  const members = useLoaded<Member[]>('/members');
  const keys = useLoaded<ApiKey[]>('/api-keys');
  const names = new Map([
    ...(members.value ?? []).map(({ user_id, name }) => [user_id, name] as const),
    ...(keys.value ?? []).map(({ id, name }) => [id, name] as const),
  ]);
  const csv = addressOf(`/app${PATH}?${query && `${query}&`}format=csv`);
  return (
    <>
      <Filters
        filter={filter}
        people={members.value ?? []}
        onChange={(change) => setFilter({ ...filter, ...change })}
      />
      <div class="bar">
        <a class="button second small" href={csv} download>
          {t.audit.export}
        </a>
        {query && (
          <Button kind="plain" onClick={() => setFilter(ALL)}>
            {t.audit.clear}
          </Button>
        )}
      </div>
      <FailureNotice failure={records.failure} onRetry={() => void records.reload()} />
      {!records.value && !records.failure && <Skeleton />}
      {records.value?.length === 0 && <Empty>{t.audit.empty}</Empty>}
      {records.value && records.value.length > 0 && (
        <Table
          caption={t.tabs['audit-log'].name}
          columns={columnsFor(names)}
          rows={records.value}
          keyOf={({ id }) => id}
        />
      )}
      <More more={records.more} isLoading={records.isLoading} />
    </>
  );
};
