import { useState } from 'preact/hooks';
import type { Connection } from '../../../../shared/schemas/integrations/connection.ts';
import type { CatalogEntry } from '../../../../shared/schemas/integrations/overview.ts';
import type {
  DirectorySource,
  ReferenceField,
  Source,
} from '../../../../shared/schemas/integrations/source.ts';
import type { Board, Column, Item } from '../../../../shared/schemas/integrations/vendor.ts';
import { read, send } from '../api.ts';
import { fill } from '../formats.ts';
import { useLoaded, usePages, useWork } from '../hooks.ts';
import { t, words } from '../page.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { FailureNotice } from '../ui/failure.tsx';
import { problemOf, SelectField, TextField } from '../ui/fields.tsx';
import { say } from '../ui/said.tsx';
import { Table } from '../ui/table.tsx';

const x = t.integrations;

type Target = CatalogEntry['targets'][number];

const TARGETS: Readonly<Record<Target, string>> = {
  locations: t.tabs.locations.name,
  client_accounts: t.tabs.clients.name,
  response_sets: x.options,
  members: t.tabs.members.name,
};

const ofContact = (label: string): string => `${t.explore.contact}: ${label}`;

/** The app's words for the fields of targets. The service names a field that has none here. */
const FIELDS: Readonly<Record<string, string>> = {
  name: t.common.name,
  kind: words.workbook.type,
  client_account: words.client,
  address: t.explore.address,
  lat: x.latitude,
  lng: x.longitude,
  timezone: t.org.timezone,
  'contact.name': ofContact(t.common.name),
  'contact.email': ofContact(t.members.email),
  'contact.phone': ofContact(t.members.phone),
  notes: words.note,
  external_ref: t.explore.externalRef,
  label: t.acts.label,
  value: x.value,
  color: x.color,
  score: words.score,
  is_failed: words.failed,
  email: t.members.email,
  position: t.members.position,
};

/** Minutes between two syncs, to choose from. */
const SCHEDULES: readonly (readonly [string, string])[] = [
  ['', x.onRequest],
  ['60', x.everyHour],
  ['1440', x.everyDay],
];

/** Boards that are read at a time; of more, one is found by its name. */
const BOARDS = 100;

interface BoardFieldProps {
  connection: Connection;
  /** Everybody in the account is taken where no board is chosen. */
  isOptional: boolean;
  value: string;
  wrong: string | undefined;
  onChange: (board: string, name: string) => void;
}

/** The boards of the account to choose from. */
const BoardField = ({ connection, isOptional, value, wrong, onChange }: BoardFieldProps) => {
  const [q, setQ] = useState('');
  const query = q.trim() && `?${new URLSearchParams({ q: q.trim() }).toString()}`;
  const path = `/v1/integrations/connections/${connection.id}/boards`;
  const all = usePages<Board>(path, false, BOARDS);
  const found = usePages<Board>(path + query, false, BOARDS);
  const boards = new Map([...(all.value ?? []), ...(found.value ?? [])].map((board) => [board.id, board]));
  const shown = (found.value ?? []).some(({ id }) => id === value) ? [] : [boards.get(value)];
  const rows = [...shown, ...(found.value ?? [])].filter((board) => board !== undefined);
  return (
    <>
      <FailureNotice failure={found.failure} onRetry={() => void found.reload()} />
      {(all.more || q !== '') && (
        <TextField label={`${t.explore.search}: ${x.board}`} value={q} most={200} onChange={setQ} />
      )}
      <SelectField
        label={x.board}
        value={value}
        wrong={wrong}
        options={[
          ['', isOptional ? x.everybody : found.value ? '–' : t.common.working],
          ...rows.map(
            ({ id, name, workspace }) => [id, [workspace?.name, name].filter(Boolean).join(' / ')] as const,
          ),
        ]}
        onChange={(id) => onChange(id, boards.get(id)?.name ?? '')}
      />
    </>
  );
};

interface MappingsProps {
  target: Target;
  /** Where the columns of the board are. */
  columnsPath: string;
  value: Readonly<Record<string, string>>;
  wrong: (field: string) => string | undefined;
  onChange: (mappings: Record<string, string>) => void;
}

/** Which column fills which field. Only columns that can fill a field are offered for it. */
const MappingFields = ({ target, columnsPath, value, wrong, onChange }: MappingsProps) => {
  const fields = useLoaded<ReferenceField[]>(`/v1/integrations/reference-fields/${target}`);
  const columns = useLoaded<Column[]>(columnsPath);
  const failure = fields.failure ?? columns.failure;
  const fitting = ({ accepts_column_types: types }: ReferenceField) =>
    (columns.value ?? []).filter(({ target_field_types }) =>
      target_field_types.some((type) => types.includes(type)),
    );
  return (
    <fieldset aria-busy={!fields.value || !columns.value}>
      <legend>{x.mapping}</legend>
      <FailureNotice
        failure={failure}
        onRetry={() => void Promise.all([fields.reload(), columns.reload()])}
      />
      {fields.value &&
        columns.value &&
        fields.value.map((field) => (
          <SelectField
            key={field.key}
            label={FIELDS[field.key] ?? field.label}
            isOptional={!field.required}
            value={value[field.key] ?? ''}
            wrong={wrong(field.key)}
            options={[['', '–'], ...fitting(field).map(({ id, title }) => [id, title] as const)]}
            onChange={(column) => onChange({ ...value, [field.key]: column })}
          />
        ))}
    </fieldset>
  );
};

/** Rows that a preview shows. */
const SHOWN = 10;

/** Items whose subitems a preview looks at: each is a call that the vendor counts. */
const PARENTS = 3;

/** The first subitems of items. @param path that of the connection */
const subitemsOf = async (path: string, items: readonly Item[]): Promise<Item[]> => {
  const rows: Item[] = [];
  for (const { id: item_id } of items.slice(0, PARENTS)) {
    if (rows.length >= SHOWN) break;
    rows.push(
      ...(await read<Item[]>(`${path}/item-children?${new URLSearchParams({ item_id }).toString()}`)),
    );
  }
  return rows.slice(0, SHOWN);
};

interface PreviewProps {
  target: Target;
  /** That of the connection. */
  path: string;
  boardQuery: string;
  isSubitems: boolean;
  mappings: Readonly<Record<string, string>>;
}

/** What the columns that were chosen hold in the first rows. */
const Preview = ({ target, path, boardQuery, isSubitems, mappings }: PreviewProps) => {
  const { value, failure, reload } = useLoaded(
    `${path}/items?${boardQuery}&limit=${SHOWN}`,
    async (first) => {
      const items = await read<Item[]>(first);
      return isSubitems ? subitemsOf(path, items) : items;
    },
  );
  const fields = useLoaded<ReferenceField[]>(`/v1/integrations/reference-fields/${target}`);
  const columns = (fields.value ?? []).flatMap(({ key, label }) => {
    const column = mappings[key];
    return column
      ? [
          {
            title: FIELDS[key] ?? label,
            cell: ({ values }: Item) => (
              <bdi>{values.find(({ column_id }) => column_id === column)?.text ?? '–'}</bdi>
            ),
          },
        ]
      : [];
  });
  return (
    <div aria-busy={!value}>
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      {value?.length === 0 && <p class="help">{t.explore.empty}</p>}
      {value && value.length > 0 && (
        <Table caption={x.firstRows} columns={columns} rows={value} keyOf={({ id }) => id} />
      )}
    </div>
  );
};

interface NewSourceProps {
  connection: Connection;
  system: CatalogEntry;
  onMade: () => Promise<void>;
  onClose: () => void;
}

/** Asks what is synced from a connection: a board, the fields that its columns fill, and how often. */
export const NewSource = ({ connection, system, onMade, onClose }: NewSourceProps) => {
  const [target, setTarget] = useState(system.targets[0]!);
  const [name, setName] = useState('');
  const [board, setBoard] = useState('');
  const [level, setLevel] = useState(system.levels[0]!);
  const [mappings, setMappings] = useState<Record<string, string>>({});
  const [missing, setMissing] = useState('deactivate');
  const [minutes, setMinutes] = useState('');
  const work = useWork();
  const isDirectory = target === 'members';
  const path = `/integrations/connections/${connection.id}`;
  const isSubitems = !isDirectory && level === 'subitem';
  const boardQuery = new URLSearchParams({ board_id: board }).toString();
  const columnsPath = `/v1${path}/${isSubitems ? 'subitem-columns' : 'columns'}?${boardQuery}`;
  const create = () =>
    work.run(async () => {
      const both = {
        name,
        board_id: board || (isDirectory ? null : ''),
        mappings: Object.fromEntries(Object.entries(mappings).filter(([, column]) => column !== '')),
        schedule_minutes: minutes ? Number(minutes) : null,
      };
      const made = isDirectory
        ? await send<DirectorySource>('POST', '/integrations/directory-sources', {
            body: { ...both, connection_id: connection.id },
          })
        : await send<Source>('POST', `${path}/sources`, {
            body: { ...both, target_ref: target, level, on_missing: missing },
          });
      say(fill(x.sourceMade, { name: made.name }));
      onClose();
      await onMade();
    });
  return (
    <FormDialog
      title={x.addSource}
      submit={x.addSource}
      fields={['name', 'board_id', 'mappings']}
      work={work}
      onSubmit={() => void create()}
      onClose={onClose}
    >
      <SelectField
        label={x.target}
        value={target}
        options={system.targets.map((each) => [each, TARGETS[each]])}
        onChange={(chosen) => {
          setTarget(chosen as Target);
          setMappings({});
        }}
      />
      <TextField
        label={t.common.name}
        value={name}
        most={200}
        wrong={problemOf(work.failure, 'name')}
        onChange={setName}
      />
      <BoardField
        connection={connection}
        isOptional={isDirectory}
        value={board}
        wrong={problemOf(work.failure, 'board_id')}
        onChange={(chosen, boardName) => {
          setBoard(chosen);
          setMappings({});
          // Most sources are called as their boards.
          if (name === '') setName(boardName);
        }}
      />
      {!isDirectory && system.levels.length > 1 && (
        <SelectField
          label={x.level}
          value={level}
          options={system.levels.map((each) => [each, x.levels[each]])}
          onChange={(chosen) => {
            setLevel(chosen as typeof level);
            setMappings({});
          }}
        />
      )}
      {board !== '' && (
        <MappingFields
          key={`${target} ${columnsPath}`}
          target={target}
          columnsPath={columnsPath}
          value={mappings}
          wrong={(field) => problemOf(work.failure, 'mappings', field)}
          onChange={setMappings}
        />
      )}
      {board !== '' && Object.values(mappings).some(Boolean) && (
        <Preview
          key={`${target} ${columnsPath}`}
          target={target}
          path={`/v1${path}`}
          boardQuery={boardQuery}
          isSubitems={isSubitems}
          mappings={mappings}
        />
      )}
      {!isDirectory && (
        <SelectField
          label={x.missing}
          value={missing}
          options={[
            ['deactivate', x.deactivate],
            ['keep', x.keep],
          ]}
          onChange={setMissing}
        />
      )}
      <SelectField label={x.schedule} value={minutes} options={SCHEDULES} onChange={setMinutes} />
    </FormDialog>
  );
};
