import type { AuditEntry } from '../../../../shared/schemas/audit.ts';
import type { Member } from '../../../../shared/schemas/member.ts';
import { LinkTo, Person, usePeople } from '../explore/links.tsx';
import { placeOfType } from '../explore/places.ts';
import { ARROW, startOfDay } from '../formats.ts';
import { useLoaded, usePages } from '../hooks.ts';
import { addressOf, t } from '../page.ts';
import { keepInAddress } from '../route.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { SelectField, TextField } from '../ui/fields.tsx';
import { Button, Empty, NoneFits, Skeleton, Time } from '../ui/parts.tsx';
import { type Column, More, Table } from '../ui/table.tsx';
import { SETTINGS } from './organization.tsx';

const PATH = '/audit';

const ACTIONS = Object.entries(t.audit.actions);

const actionText = (action: string): string => ACTIONS.find(([each]) => each === action)?.[1] ?? action;

/** What the changed settings are called, by their paths. */
const LABELS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(SETTINGS).map(([name, { label }]) => [name, label])),
  access: t.keys.access,
  act_for_members: t.keys.actForMembers,
  description: t.webhooks.description,
  expires_at: t.keys.expires,
  four_eyes_verification: t.org.fourEyes,
  logo_key: t.org.logo,
  networks: t.keys.networks,
  owner_user_id: t.org.owner,
  phone: t.members.phone,
  position: t.members.position,
  requires_approval: t.explore.requiresApproval,
  requires_sign_off: t.explore.requiresSignOff,
  role: t.members.role,
  scopes: t.keys.scopes,
  status: t.common.status,
  types: t.webhooks.types,
  url: t.webhooks.url,
};

/** Paths in the storage, which nobody can open. */
const HIDDEN: ReadonlySet<string> = new Set(['logo_key']);

/** The words for values that are codes. */
const WORDS: Readonly<Record<string, string>> = {
  admin: t.members.admin,
  approver: t.members.approver,
  inspector: t.members.inspector,
  active: t.members.active,
  invited: t.members.invited,
  suspended: t.members.suspended,
  disabled: t.webhooks.disabled,
  read_write: t.keys.read_write,
  read_only: t.keys.read_only,
};

const IS_TIME = /^\d{4}-\d\d-\d\dT/;

/** A value of a change, in one line. */
const Value = ({ value }: { value: unknown }) => {
  const people = usePeople();
  if (value === null || value === undefined || value === '') return <>–</>;
  if (typeof value === 'boolean') return <>{value ? t.common.yes : t.common.no}</>;
  if (Array.isArray(value)) return <bdi>{value.join(', ') || '–'}</bdi>;
  if (typeof value !== 'string') return <bdi>{JSON.stringify(value)}</bdi>;
  if (IS_TIME.test(value)) return <Time at={value} />;
  return <bdi>{WORDS[value] ?? people.get(value)?.name ?? value}</bdi>;
};

const Changes = ({ changes }: Pick<AuditEntry, 'changes'>) => (
  <>
    {Object.entries(changes ?? {}).map(([path, { from, to }]) => (
      <span class="sub" key={path}>
        {LABELS[path] ?? <code>{path}</code>}
        {!HIDDEN.has(path) && (
          <>
            {': '}
            <Value value={from} /> {ARROW} <Value value={to} />
          </>
        )}
      </span>
    ))}
  </>
);

/** What was changed, with a link to its page where it has one. */
const Target = ({ action, target_id: id }: AuditEntry) => {
  const people = usePeople();
  const place = placeOfType(action);
  if (place && !/\.(deleted|erased)$/.test(action))
    return (
      <span class="sub">
        <LinkTo place={place} id={id} />
      </span>
    );
  return people.has(id) ? (
    <span class="sub">
      <Person id={id} />
    </span>
  ) : null;
};

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    title: t.audit.what,
    cell: (entry) => (
      <>
        {actionText(entry.action)}
        {entry.target_id !== entry.actor.id && <Target {...entry} />}
      </>
    ),
  },
  {
    title: t.audit.who,
    cell: ({ actor: { id, kind, name, acted_via_key_id } }) =>
      kind === 'operator' ? t.audit.platform : <Person id={id} name={name} via={acted_via_key_id} />,
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

/** Who changed access and settings. The filters are kept in the address. */
export const Audit = () => {
  const filter = { ...ALL, ...Object.fromEntries(new URLSearchParams(location.search)) };
  const query = queryOf(filter);
  const records = usePages<AuditEntry>(`${PATH}${query && `?${query}`}`);
  const members = useLoaded<Member[]>('/members');
  const csv = addressOf(`/app${PATH}?${query && `${query}&`}format=csv`);
  return (
    <>
      <Filters
        filter={filter}
        people={members.value ?? []}
        onChange={(change) => keepInAddress({ ...filter, ...change })}
      />
      <div class="bar">
        <a class="button second small" href={csv} download>
          {t.audit.export}
        </a>
        {query && records.value?.length !== 0 && (
          <Button kind="plain" onClick={() => keepInAddress({})}>
            {t.audit.clear}
          </Button>
        )}
      </div>
      <FailureNotice failure={records.failure} onRetry={() => void records.reload()} />
      {!records.value && !records.failure && <Skeleton />}
      {records.value?.length === 0 && (query ? <NoneFits /> : <Empty>{t.explore.empty}</Empty>)}
      {records.value && records.value.length > 0 && (
        <Table
          caption={t.tabs['audit-log'].name}
          columns={COLUMNS}
          rows={records.value}
          keyOf={({ id }) => id}
        />
      )}
      <More more={records.more} isLoading={records.isLoading} />
    </>
  );
};
