import { useEffect, useState } from 'preact/hooks';
import { usePages } from '../hooks.ts';
import { page, t } from '../page.ts';
import { addressOfPlace, go, keepInAddress } from '../route.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { SelectField, TextField } from '../ui/fields.tsx';
import { First } from '../ui/first.tsx';
import { Button, NoneFits, Skeleton } from '../ui/parts.tsx';
import { More, Table } from '../ui/table.tsx';
import { useBulk } from './bulk/start.tsx';
import { type Filter, filteredBy, type Kind, kindAt, type Related } from './kinds.tsx';
import { Limits } from './limits.tsx';
import { LinkTo, mayOpen } from './links.tsx';
import { listPathOf } from './paths.ts';

const IS_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

type Filters = Readonly<Record<string, string>>;

interface SearchProps {
  kind: Kind<{ id: string }>;
  filters: Filters;
  onChange: (change: Filters) => void;
}

/** The filters that take a text: they are looked for when the form is sent. */
const Search = ({ kind, filters, onChange }: SearchProps) => {
  const texts: Filter[] = [
    { name: 'q', label: kind.search ?? t.explore.id },
    ...kind.filters.filter(({ options }) => !options),
  ];
  const [entered, setEntered] = useState<Filters>({});
  useEffect(() => setEntered({}), [filters]);
  const search = () => {
    const { q = '' } = entered;
    // An id leads to its object at once.
    if (IS_ID.test(q.trim())) go(addressOfPlace(kind.place, q.trim().toLowerCase()));
    else
      onChange(
        Object.fromEntries(Object.entries(entered).map(([name, value]) => [name, value.trim()] as const)),
      );
  };
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        search();
      }}
    >
      {texts.map(({ name, label }) => (
        <TextField
          key={name}
          label={label}
          value={entered[name] ?? filters[name] ?? ''}
          most={200}
          onChange={(value) => setEntered({ ...entered, [name]: value })}
        />
      ))}
      <Button isSubmit>{t.explore.search}</Button>
    </form>
  );
};

/** The objects that the address asks for. */
const Chosen = ({ kind, filters }: Pick<SearchProps, 'kind' | 'filters'>) => (
  <>
    {Object.entries(filteredBy(kind.place)).map(
      ([name, place]) =>
        filters[name] && (
          <p key={name}>
            {kindAt(place)!.name}: <LinkTo place={place} id={filters[name]} />
          </p>
        ),
    )}
  </>
);

/** The columns that the person may see: no links to what they may not open. */
const columnsOf = ({ columns }: Kind<{ id: string }>) =>
  columns.filter(({ place }) => !place || mayOpen(place));

/** The list of a kind of object, by the filters in the address. */
export const List = ({ kind, query }: { kind: Kind<{ id: string }>; query: URLSearchParams }) => {
  const { role } = page.organization!;
  const isAdmin = role === 'admin';
  const text = query.toString();
  const [filters, setFilters] = useState<Filters>(() => Object.fromEntries(query));
  useEffect(() => setFilters(Object.fromEntries(new URLSearchParams(text))), [text]);
  const known = new Set([
    'q',
    ...kind.filters.map(({ name }) => name),
    ...Object.keys(filteredBy(kind.place)),
    ...(kind.limits ?? []),
  ]);
  const used = Object.entries(filters).filter(([name, value]) => known.has(name) && value !== '');
  const search = new URLSearchParams(used).toString();
  const rows = usePages<{ id: string }>(
    `${listPathOf(kind.place)}${search && `?${search}`}`,
    kind.isByOffset,
  );
  const bulk = useBulk(kind, rows.value, Object.fromEntries(used));
  const change = (changed: Filters) => keepInAddress({ ...filters, ...changed });
  return (
    <>
      {kind.ListActs && isAdmin && <kind.ListActs />}
      <Search kind={kind} filters={filters} onChange={change} />
      <div class="filters">
        {kind.filters.map(
          ({ name, label, options }) =>
            options && (
              <SelectField
                key={name}
                label={label}
                value={filters[name] ?? ''}
                options={options}
                onChange={(value) => change({ [name]: value })}
              />
            ),
        )}
      </div>
      <Chosen kind={kind} filters={filters} />
      <Limits names={kind.limits} filters={filters} />
      {used.length > 0 && rows.value?.length !== 0 && (
        <p class="bar">
          <Button kind="plain" onClick={() => keepInAddress({})}>
            {t.audit.clear}
          </Button>
        </p>
      )}
      <FailureNotice failure={rows.failure} onRetry={() => void rows.reload()} />
      {!rows.value && !rows.failure && <Skeleton />}
      {rows.value?.length === 0 && (used.length > 0 ? <NoneFits /> : <First place={kind.place} />)}
      {bulk.bar}
      {rows.value && rows.value.length > 0 && (
        <Table
          caption={kind.name}
          columns={bulk.mark(columnsOf(kind))}
          rows={rows.value}
          keyOf={({ id }) => id}
        />
      )}
      <More more={rows.more} isLoading={rows.isLoading} />
      {role === 'approver' && kind.place === 'inspections' && (
        <RelatedList
          title={t.home.numbers.inspections_pending_approval}
          place="inspections"
          path="/v1/inspections?status=pending_approval"
        />
      )}
    </>
  );
};

/** Objects on the page of another one, with a link to the list of all of them. */
export const RelatedList = ({ title, place, path, filters }: Related) => {
  const kind = kindAt(place)!;
  const rows = usePages<{ id: string }>(path, kind.isByOffset, FEW);
  return (
    <section class="part">
      <div class="title">
        <h2>{title}</h2>
        {filters && rows.value && rows.value.length > 0 && (
          <a href={addressOfPlace(place, undefined, filters)}>{t.explore.showAll}</a>
        )}
      </div>
      <FailureNotice failure={rows.failure} onRetry={() => void rows.reload()} />
      {rows.value?.length === 0 && <p class="help">{t.explore.empty}</p>}
      {rows.value && rows.value.length > 0 && (
        <Table caption={title} columns={columnsOf(kind)} rows={rows.value} keyOf={({ id }) => id} />
      )}
      <More more={rows.more} isLoading={rows.isLoading} />
    </section>
  );
};

/** Rows of a list on the page of another object. */
const FEW = 5;
