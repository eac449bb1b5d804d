import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AdminPlace } from '../../../../../shared/http/pages/admin-data.ts';
import type { BulkAction, BulkChange, BulkResource } from '../../../../../shared/schemas/bulk-change.ts';
import { send } from '../../api.ts';
import { fill, numberText } from '../../formats.ts';
import { useWork } from '../../hooks.ts';
import { page, t } from '../../page.ts';
import { addressOfPlace, go } from '../../route.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { CheckField, SelectField } from '../../ui/fields.tsx';
import { Button } from '../../ui/parts.tsx';
import type { Column } from '../../ui/table.tsx';
import { ActionFields, actionOf, type Entered, isMissing } from './action.tsx';
import { actionText, resourceAt } from './words.ts';

const x = t.bulk;

type Filters = Readonly<Record<string, string>>;

/** The filters of a list as a request takes them: each with the type that it has there. */
const filterOf = (resource: BulkResource, filters: Filters): object => {
  const { several, flags, numbers } = page.bulk[resource];
  const typed = ([name, text]: [string, string]): [string, unknown] => {
    if (several.includes(name)) return [name, [text]];
    if (numbers.includes(name)) return [name, Number(text)];
    return [name, flags.includes(name) ? text === 'true' : text];
  };
  return Object.fromEntries(Object.entries(filters).map(typed));
};

/** Has a dry run made, and shows it. @throws Failure */
export const dryRun = async (body: object): Promise<void> => {
  const { id } = await send<BulkChange>('POST', '/bulk-changes', { body });
  go(addressOfPlace('bulk-changes', id));
};

interface StartProps {
  resource: BulkResource;
  filter: object;
  /** Which rows they are. */
  lead: string;
  onClose: () => void;
}

const Start = ({ resource, filter, lead, onClose }: StartProps) => {
  const { actions } = page.bulk[resource];
  const [type, setType] = useState<BulkAction['type']>(actions[0]!);
  const [entered, setEntered] = useState<Entered>({});
  const [isAsked, setIsAsked] = useState(false);
  const work = useWork();
  const start = () => {
    setIsAsked(true);
    if (isMissing(type, entered)) return;
    void work.run(() => dryRun({ resource, filter, action: actionOf(type, entered) }));
  };
  return (
    <FormDialog
      title={x.title}
      submit={x.dryRun}
      work={work}
      fields={['action']}
      onSubmit={start}
      onClose={onClose}
    >
      <p>
        <strong>{lead}</strong> {x.dryFirst}
      </p>
      <SelectField
        label={x.what}
        value={type}
        options={actions.map((action) => [action, actionText(resource, action)])}
        onChange={(value) => {
          setType(value as BulkAction['type']);
          setIsAsked(false);
        }}
      />
      <ActionFields
        key={type}
        resource={resource}
        type={type}
        entered={entered}
        isAsked={isAsked}
        failure={work.failure}
        onChange={setEntered}
      />
    </FormDialog>
  );
};

/** A list whose rows can be changed in bulk. */
interface Bulk<Row> {
  /** Where rows are selected: in the first column, which names them. */
  mark: (columns: readonly Column<Row>[]) => readonly Column<Row>[];
  /** What stands above the rows. */
  bar: ComponentChildren;
}

interface Listed<Row> {
  place: AdminPlace;
  title: (row: Row) => string;
}

/** The selection of rows of a list, and their change. Lists that have none, and people who may not, see nothing of it. */
export const useBulk = <Row extends { id: string }>(
  { place, title }: Listed<Row>,
  rows: readonly Row[] | undefined,
  filters: Filters,
): Bulk<Row> => {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<'marked' | 'found'>();
  const found = JSON.stringify(filters);
  useEffect(() => setMarked(new Set()), [found]);
  const resource = resourceAt(place);
  if (!resource || page.organization!.role !== 'admin' || !rows?.length)
    return { mark: (columns) => columns, bar: null };
  const ids = rows.map(({ id }) => id).filter((id) => marked.has(id));
  const isTooMuch = ids.length > page.maxBulkIds;
  const mark = (id: string, isMarked: boolean) =>
    setMarked(new Set(isMarked ? [...ids, id] : ids.filter((each) => each !== id)));
  const first = ([column, ...others]: readonly Column<Row>[]): Column<Row>[] => [
    {
      ...column!,
      cell: (row) => (
        <span class="pick">
          <input
            type="checkbox"
            aria-label={fill(x.select, { name: title(row) })}
            checked={marked.has(row.id)}
            onChange={({ currentTarget }) => mark(row.id, currentTarget.checked)}
          />
          <span>{column!.cell(row)}</span>
        </span>
      ),
    },
    ...others,
  ];
  const selected = fill(x.selected, { n: numberText(ids.length) });
  return {
    mark: first,
    bar: (
      <>
        <div class="bar picked" role="group" aria-label={x.title}>
          <CheckField
            label={x.selectAll}
            isChecked={ids.length === rows.length}
            onChange={(isAll) => setMarked(new Set(isAll ? rows.map(({ id }) => id) : []))}
          />
          <span role="status">
            {ids.length > 0 && selected}{' '}
            {isTooMuch && fill(t.failures.most, { n: numberText(page.maxBulkIds) })}
          </span>
          {ids.length > 0 && !isTooMuch && (
            <Button kind="first" onClick={() => setAsked('marked')}>
              {x.changeSelected}
            </Button>
          )}
          <Button onClick={() => setAsked('found')}>{x.changeFound}</Button>
        </div>
        {asked && (
          <Start
            resource={resource}
            filter={asked === 'marked' ? { ids } : filterOf(resource, filters)}
            lead={asked === 'marked' ? selected : x.found}
            onClose={() => setAsked(undefined)}
          />
        )}
      </>
    ),
  };
};
