import {
  type Cell,
  COLORS,
  type FakeAccount,
  type FakeBoard,
  type FakeColumn,
  type FakeItem,
} from './account.ts';

/** What the schema calls the value of a column of each type. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  text: 'TextValue',
  long_text: 'LongTextValue',
  numbers: 'NumbersValue',
  status: 'StatusValue',
  dropdown: 'DropdownValue',
  location: 'LocationValue',
  people: 'PeopleValue',
  email: 'EmailValue',
  phone: 'PhoneValue',
  checkbox: 'CheckboxValue',
  mirror: 'MirrorValue',
  formula: 'FormulaValue',
  board_relation: 'BoardRelationValue',
  date: 'DateValue',
  world_clock: 'WorldClockValue',
  color_picker: 'ColorPickerValue',
  subtasks: 'SubtasksValue',
};

interface Labels {
  labels: { label: string; index: number }[];
}

const nameOfItem = ({ boards }: FakeAccount, id: string): string => {
  // The ids of a board's items begin with its own.
  const board = boards.find((board) => id.startsWith(board.id));
  return board?.items.find((item) => item.id === id)?.name ?? '';
};

/** The fields of a value beside `id`, `type`, `text` and `value`, and what these two are. */
const FIELDS: Readonly<
  Record<string, (cell: Cell | undefined, column: FakeColumn, account: FakeAccount) => object>
> = {
  numbers: (cell) => ({
    text: typeof cell === 'number' ? `${cell}` : '',
    number: cell,
    value: typeof cell === 'number' ? `"${cell}"` : null,
  }),
  status: (cell, { settings }) => {
    const index = (settings as Labels).labels.find(({ label }) => label === cell)?.index;
    return {
      text: cell ?? null,
      label: cell ?? null,
      index,
      label_style: index === undefined ? null : { color: COLORS[index], border: COLORS[index] },
      value: cell && JSON.stringify({ index, post_id: null }),
    };
  },
  location: (cell) => {
    const place = cell as Exclude<Cell, string | number | boolean | string[]> | undefined;
    // In the raw value, monday.com has the coordinates as text.
    const raw = place && { ...place, lat: String(place.lat), lng: String(place.lng), placeId: '' };
    return { ...place, text: place?.address ?? '', value: raw && JSON.stringify(raw) };
  },
  people: (cell, _, { users }) => {
    const ids = (cell as string[] | undefined) ?? [];
    return {
      text: ids.map((id) => users.find((user) => user.id === id)?.name ?? '').join(', '),
      persons_and_teams: ids.map((id) => ({ id, kind: 'person' })),
      value:
        cell && JSON.stringify({ personsAndTeams: ids.map((id) => ({ id: Number(id), kind: 'person' })) }),
    };
  },
  email: (cell) => ({
    text: cell ?? '',
    email: cell ?? null,
    label: cell ?? null,
    value: cell && JSON.stringify({ email: cell, text: cell }),
  }),
  phone: (cell) => ({
    text: cell ?? '',
    phone: cell ?? null,
    value: cell && JSON.stringify({ phone: cell, countryShortName: 'GB' }),
  }),
  checkbox: (cell) => ({
    text: cell ? 'v' : '',
    checked: cell === true,
    value: cell ? JSON.stringify({ checked: 'true' }) : null,
  }),
  mirror: (cell) => ({ text: null, value: null, display_value: cell ?? '' }),
  formula: (cell) => ({ text: '', value: null, display_value: cell ?? '' }),
  board_relation: (cell, _, account) => {
    const ids = (cell as string[] | undefined) ?? [];
    const names = ids.map((id) => nameOfItem(account, id)).join(', ');
    return { text: null, value: null, linked_item_ids: ids, display_value: names };
  },
  world_clock: (cell) => ({
    text: cell ?? '',
    timezone: cell ?? null,
    value: cell && JSON.stringify({ timezone: cell }),
  }),
  color_picker: (cell) => ({
    text: cell ?? '',
    color: cell ?? null,
    value: cell && JSON.stringify({ color: { hex: cell } }),
  }),
  date: (cell) => ({ text: cell ?? '', value: cell && JSON.stringify({ date: cell }) }),
  subtasks: () => ({ text: '', value: '{}' }),
};

const anyText = (cell: Cell | undefined) => ({
  text: cell ?? '',
  value: cell === undefined ? null : JSON.stringify(cell),
});

/** An item's values, of some columns or of all. The name is not among them. */
export const valuesOf = (
  item: FakeItem,
  { columns }: FakeBoard,
  account: FakeAccount,
  ids?: string[] | null,
): object[] =>
  columns
    .filter(({ type, archived }) => type !== 'name' && !archived)
    .filter(({ id }) => !ids?.length || ids.includes(id))
    .map((column) => {
      // A mirror shows what is on the item that a relation links to.
      const [linked] = column.type === 'mirror' ? ((item.cells['client'] as string[] | undefined) ?? []) : [];
      const cell = linked ? nameOfItem(account, linked) : item.cells[column.id];
      return {
        __typename: TYPE_NAMES[column.type],
        id: column.id,
        type: column.type,
        ...(FIELDS[column.type] ?? anyText)(cell, column, account),
      };
    });
