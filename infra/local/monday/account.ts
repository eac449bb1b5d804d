/** What a cell holds, by the type of its column. Empty cells are absent. */
export type Cell =
  | string
  | number
  | boolean
  | { lat: number; lng: number; address: string; country: string }
  /** People, or linked items, by their ids. */
  | string[];

export interface FakeColumn {
  id: string;
  title: string;
  type: string;
  description?: string;
  settings?: object;
  archived?: boolean;
}

export interface FakeItem {
  id: string;
  name: string;
  state: 'active' | 'archived' | 'deleted';
  group: string;
  updated_at: string;
  cells: Record<string, Cell>;
  subitems: FakeItem[];
}

export interface FakeBoard {
  id: string;
  name: string;
  description: string | null;
  board_kind: 'public' | 'private' | 'share';
  type: 'board' | 'sub_items_board' | 'document';
  state: 'active' | 'archived';
  workspace: { id: string; name: string } | null;
  groups: { id: string; title: string; color: string; position: string }[];
  columns: FakeColumn[];
  items: FakeItem[];
  /** The board that holds its subitems. */
  subitemBoard?: string;
}

export interface FakeUser {
  id: string;
  name: string;
  email: string;
  title: string;
  status: 'ACTIVE' | 'PENDING' | 'INACTIVE';
}

/** An account of monday.com, as far as the service reads it. It may be changed while it is served. */
export interface FakeAccount {
  id: string;
  name: string;
  slug: string;
  users: FakeUser[];
  boards: FakeBoard[];
}

const UPDATED = '2026-11-02T08:30:00Z';

/** The first colors that monday.com gives to the labels of a column. */
export const COLORS = ['#fdab3d', '#00c875', '#df2f4a', '#007eb5'];

const labels = (...names: string[]) => ({
  labels: names.map((label, index) => ({ id: index, index, label, color: index, is_deactivated: false })),
});

/** The same as the text of former versions, which has the colors. */
export const formerSettings = ({ type, settings = {} }: FakeColumn): string => {
  if (type !== 'status') return JSON.stringify(settings);
  const byId = <Value>(value: (label: string, id: number) => Value) =>
    Object.fromEntries(
      (settings as ReturnType<typeof labels>).labels.map(({ id, label }) => [id, value(label, id)]),
    );
  return JSON.stringify({
    labels: byId((label) => label),
    labels_positions_v2: byId((_, id) => id),
    labels_colors: byId((_, id) => ({ color: COLORS[id], border: COLORS[id], var_name: '' })),
  });
};

const NAME: FakeColumn = { id: 'name', title: 'Name', type: 'name' };

/** The columns of a board of places. */
const placeColumns = (subitemBoard: string, clientBoard: string): FakeColumn[] => [
  NAME,
  { id: 'subitems', title: 'Subitems', type: 'subtasks', settings: { boardIds: [Number(subitemBoard)] } },
  { id: 'status', title: 'Status', type: 'status', settings: labels('Open', 'Under repair', 'Closed') },
  { id: 'address', title: 'Address', type: 'location' },
  { id: 'kind', title: 'Kind', type: 'text' },
  {
    id: 'cuisine',
    title: 'Cuisine',
    type: 'dropdown',
    settings: labels('Greek', 'Italian', 'Thai', 'Bakery'),
  },
  { id: 'seats', title: 'Seats', type: 'numbers' },
  { id: 'phone', title: 'Phone', type: 'phone' },
  { id: 'email', title: 'E-mail', type: 'email' },
  { id: 'manager', title: 'Manager', type: 'people' },
  { id: 'client', title: 'Client', type: 'board_relation', settings: { boardIds: [Number(clientBoard)] } },
  { id: 'client_name', title: 'Client’s name', type: 'mirror' },
  { id: 'inspected', title: 'Last inspected', type: 'date' },
  { id: 'zone', title: 'Time zone', type: 'world_clock' },
  { id: 'label', title: 'Label', type: 'formula' },
  { id: 'delivery', title: 'Delivery', type: 'checkbox' },
  { id: 'former', title: 'Former owner', type: 'text', archived: true },
];

const GROUPS = [
  { id: 'north', title: 'North', color: '#579bfc', position: '65536' },
  { id: 'south', title: 'South', color: '#00c875', position: '131072' },
];

const STREETS = [
  'Harbour Road',
  'Mill Lane',
  'Station Street',
  'Market Square',
  'Abbey Walk',
  'Bridge Street',
];
const NAMES = ['Olive Grove', 'Blue Door', 'Copper Pot', 'Night Market', 'Old Bakery', 'Fig and Thyme'];

/**
 * A board of restaurants, every one of them different, and the board of their subitems.
 * @param id of the board; its items have ids that begin with it
 */
export const placesBoard = (
  id: string,
  { name = 'Restaurants', items = 24, subitems = 2, clientBoard = '4001002' } = {},
): FakeBoard[] => {
  const subitemBoard = `${id}9`;
  const item = (position: number): FakeItem => {
    const itemId = `${id}${String(position).padStart(6, '0')}`;
    const place = `${1 + (position % 97)} ${STREETS[position % STREETS.length]!}, Bristol`;
    return {
      id: itemId,
      name: `${NAMES[position % NAMES.length]!} ${1 + Math.floor(position / NAMES.length)}`,
      state: 'active',
      group: GROUPS[position % 2]!.id,
      updated_at: UPDATED,
      cells: {
        status: ['Open', 'Open', 'Under repair', 'Closed'][position % 4]!,
        address: {
          lat: Number((51.4 + (position % 500) / 1_000).toFixed(4)),
          lng: Number((-2.6 + (position % 300) / 1_000).toFixed(4)),
          address: place,
          country: 'United Kingdom',
        },
        kind: 'restaurant',
        cuisine: ['Greek', 'Italian', 'Thai', 'Bakery'][position % 4]!,
        seats: 20 + (position % 60),
        phone: `+44117496${String(position % 10_000).padStart(4, '0')}`,
        email: `restaurant${position}@example.com`,
        manager: [String(2_001 + (position % 4))],
        client: [`${clientBoard}00000${position % 3}`],
        inspected: '2026-09-14',
        zone: 'Europe/London',
        label: `Restaurant ${position}`,
        delivery: position % 2 === 0,
      },
      subitems: Array.from({ length: subitems }, (_, below) => ({
        id: `${subitemBoard}${String(position * subitems + below).padStart(6, '0')}`,
        name: ['Kitchen', 'Cold store', 'Dining room', 'Bar'][below % 4]!,
        state: 'active',
        group: 'subitems',
        updated_at: UPDATED,
        cells: { floor: below, state: below === 0 ? 'Done' : 'To do' },
        subitems: [],
      })),
    };
  };
  const places: FakeBoard = {
    id,
    name,
    description: 'Places that we inspect',
    board_kind: 'public',
    type: 'board',
    state: 'active',
    workspace: { id: '7001', name: 'Field operations' },
    groups: GROUPS,
    columns: placeColumns(subitemBoard, clientBoard),
    items: Array.from({ length: items }, (_, position) => item(position)),
    subitemBoard,
  };
  return [
    places,
    {
      ...places,
      id: subitemBoard,
      name: `Subitems of ${name}`,
      description: null,
      type: 'sub_items_board',
      columns: [
        NAME,
        { id: 'floor', title: 'Floor', type: 'numbers' },
        { id: 'state', title: 'State', type: 'status', settings: labels('To do', 'Done') },
      ],
      groups: [],
      items: [],
    },
  ];
};

/** A board of rows that have no subitems. */
const plainBoard = (
  id: string,
  name: string,
  columns: FakeColumn[],
  rows: [name: string, cells: Record<string, Cell>][],
): FakeBoard => ({
  id,
  name,
  description: null,
  board_kind: 'public',
  type: 'board',
  state: 'active',
  workspace: null,
  groups: [{ id: 'topics', title: 'All', color: '#579bfc', position: '65536' }],
  columns: [NAME, ...columns],
  items: rows.map(([name, cells], position) => ({
    id: `${id}${String(position).padStart(6, '0')}`,
    name,
    state: 'active',
    group: 'topics',
    updated_at: UPDATED,
    cells,
    subitems: [],
  })),
});

const USERS: FakeUser[] = [
  { id: '2001', name: 'Amara Okafor', email: 'amara@example.com', title: 'Inspector', status: 'ACTIVE' },
  { id: '2002', name: 'Luca Moretti', email: 'luca@example.com', title: 'Inspector', status: 'ACTIVE' },
  { id: '2003', name: 'Yuki Tanaka', email: 'yuki@example.com', title: 'Manager', status: 'ACTIVE' },
  { id: '2004', name: 'Sofia Papadaki', email: 'sofia@example.com', title: '', status: 'ACTIVE' },
  { id: '2005', name: 'Jonas Weber', email: 'jonas@example.com', title: 'Inspector', status: 'PENDING' },
  { id: '2006', name: 'Priya Nair', email: 'priya@example.com', title: 'Auditor', status: 'INACTIVE' },
];

/** An account with a board for everything that can be synced. */
export const demoAccount = (): FakeAccount => ({
  id: '1001',
  name: 'Harbour Restaurant Group',
  slug: 'harbour-restaurants',
  users: structuredClone(USERS),
  boards: [
    ...placesBoard('4001001'),
    plainBoard(
      '4001002',
      'Clients',
      [
        { id: 'contact', title: 'Contact', type: 'text' },
        { id: 'email', title: 'E-mail', type: 'email' },
        { id: 'phone', title: 'Phone', type: 'phone' },
        { id: 'notes', title: 'Notes', type: 'long_text' },
      ],
      [
        [
          'Harbour Group',
          { contact: 'Ines Silva', email: 'office@harbour.example.com', notes: 'Since 2019' },
        ],
        ['Mill Lane Foods', { contact: 'Tom Reed', email: 'tom@mill.example.com', phone: '+441174960001' }],
        ['Abbey Kitchens', { contact: 'Nadia Haddad', email: 'nadia@abbey.example.com' }],
      ],
    ),
    plainBoard(
      '4001003',
      'Answers of the kitchen checklist',
      [
        { id: 'value', title: 'Value', type: 'text' },
        { id: 'color', title: 'Color', type: 'color_picker' },
        { id: 'score', title: 'Score', type: 'numbers' },
        { id: 'failed', title: 'Failed', type: 'checkbox' },
      ],
      [
        ['In compliance', { value: 'in', color: '#00c875', score: 1, failed: false }],
        ['Out of compliance', { value: 'out', color: '#df2f4a', score: 0, failed: true }],
        ['Not observed', { value: 'not_observed', color: '#c4c4c4', score: 0, failed: false }],
      ],
    ),
    plainBoard(
      '4001004',
      'Staff',
      [
        { id: 'email', title: 'E-mail', type: 'email' },
        { id: 'position', title: 'Position', type: 'text' },
      ],
      [
        ['Amara Okafor', { email: 'amara@example.com', position: 'Inspector' }],
        ['Ben Carter', { email: 'ben@example.com', position: 'Cleaner' }],
      ],
    ),
    { ...plainBoard('4001200', 'Handbook', [], []), type: 'document' },
  ],
});
