import { cutTo } from '../../../../base/text.ts';
import { MAX_CSV_ROWS } from '../../../../schemas/templates/xlsform-limits.ts';
import type { Row, Table } from '../../form/table.ts';
import type { CsvFile } from '../../workbook/read.ts';
import type { Diagnostics } from '../diagnostics.ts';
import { type List, type ListedOption, MAX_LABEL_LENGTH, MAX_VALUE_LENGTH } from './choices.ts';
import { parametersOf } from './parameters.ts';
import type { RowType } from './question-types.ts';
import type { Node } from './tree.ts';

/** The CSV files of a request by their names. */
export type CsvFiles = ReadonlyMap<string, CsvFile>;

/** The lists that selects take from files. */
export interface FileLists {
  /** By `fileListKey`. */
  lists: ReadonlyMap<string, List>;
  /** By `fileListKey`: why there is no list. */
  faults: ReadonlyMap<string, string>;
  /** The files that were read, with their cells. */
  tables: readonly Table[];
}

type FileSelect = Node & { type: RowType & { kind: 'select' } };

const isFileSelect = (node: Node): node is FileSelect =>
  node.type.kind === 'select' && node.type.source === 'file';

/** The columns with the names and the labels of a select's options (XLSForm, "Multiple choice from file"). */
const columnsOf = (node: FileSelect): { value: string; label: string } => {
  const parameters = parametersOf(node);
  return { value: parameters.get('value') || 'name', label: parameters.get('label') || 'label' };
};

/** The parameters of a row that choose columns of a file. */
export const FILE_PARAMETERS = ['value', 'label'] as const;

/** Identifies a list of a file: two selects may take their options from different columns of a file. */
export const fileListKey = (node: FileSelect): string =>
  JSON.stringify([node.type.list, ...Object.values(columnsOf(node))]);

const tableOf = (name: string, { columns, rows }: CsvFile): Table => {
  const known = columns.map((header) => ({ header, name: header, language: null, isKnown: true }));
  return {
    name,
    columns: known.filter(({ header }) => header !== ''),
    rows: rows.map(({ number, texts }): Row => {
      const cells = known.flatMap((column, at) => {
        const text = texts[at] ?? '';
        return column.name === '' || text === '' ? [] : [{ column, text, isUsed: false }];
      });
      return { sheet: name, number, cells, cellsByName: Map.groupBy(cells, ({ column }) => column.name) };
    }),
  };
};

/** Why a list cannot be read from a file, in words that follow "because"; undefined if it can. */
const faultOf = (file: string, table: Table | undefined, value: string, isCut: boolean) => {
  if (!/\.csv$/i.test(file))
    return `its options are in the file ${file}, and only CSV files are read: make one with the columns name and label`;
  if (!table)
    return `its options are in the file ${file}, which was not sent: send it with the form as a part named media, in multipart/form-data`;
  if (!table.columns.some(({ name }) => name === value))
    return `the file ${file} has no column named ${value}: its first row must have the names of the columns`;
  if (isCut) return `the file ${file} has more than ${MAX_CSV_ROWS} rows, and that is the maximum`;
  return undefined;
};

const textIn = ({ cellsByName }: Row, column: string): string => {
  const [cell] = cellsByName.get(column) ?? [];
  if (cell) cell.isUsed = true;
  return cell?.text ?? '';
};

const optionOf = (row: Row, value: string, label: string): ListedOption => ({
  name: value,
  option: { value, label, color: null, score: null, is_failed: false, is_na: false },
  labels: new Map(),
  row,
});

/** Counts the losses in a file by kind. Each kind gets one remark, because a file may have thousands of such rows. */
class Losses {
  readonly #found = new Map<string, { count: number; first: number }>();

  add(what: string, { number }: Row): void {
    const known = this.#found.get(what);
    this.#found.set(what, { count: (known?.count ?? 0) + 1, first: known?.first ?? number });
  }

  report(file: string, log: Diagnostics): void {
    for (const [what, { count, first }] of this.#found)
      log.lostInSheet(file, `${what} (${count} ${count === 1 ? 'row' : 'rows'}, the first is line ${first})`);
  }
}

const readList = (
  { name: file, rows }: Table,
  columns: { value: string; label: string },
  log: Diagnostics,
): List => {
  const losses = new Losses();
  const named = new Map<string, ListedOption>();
  let hasRepeated = false;
  for (const row of rows) {
    const value = textIn(row, columns.value);
    const label = textIn(row, columns.label) || value;
    const known = named.get(value);
    if (value === '') losses.add('choices were left out, because they have no name', row);
    else if (value.length > MAX_VALUE_LENGTH)
      losses.add(
        `choices were left out, because their names are longer than ${MAX_VALUE_LENGTH} characters`,
        row,
      );
    else if (known) {
      hasRepeated = true;
      if (known.option.label !== label)
        losses.add(
          'choices were left out, because the list already has choices of the same names, with other labels',
          row,
        );
    } else {
      if (label.length > MAX_LABEL_LENGTH)
        losses.add(`only the first ${MAX_LABEL_LENGTH} characters of long labels are imported`, row);
      named.set(value, optionOf(row, value, cutTo(label, MAX_LABEL_LENGTH)));
    }
  }
  losses.report(file, log);
  const isUsual = columns.value === 'name' && columns.label === 'label';
  return {
    name: `${file.replace(/\.csv$/i, '')}${isUsual ? '' : ` (${columns.value}, ${columns.label})`}`,
    options: [...named.values()],
    named,
    set: undefined,
    isOfType: false,
    hasRepeated,
    nameColumn: columns.value,
  };
};

/** Reads the lists that the selects of a form take from files. A file that no select uses gets a remark. */
export const fileListsOf = (nodes: Iterable<Node>, files: CsvFiles, log: Diagnostics): FileLists => {
  const lists = new Map<string, List>();
  const faults = new Map<string, string>();
  const tables = new Map([...files].map(([name, file]) => [name, tableOf(name, file)]));
  const used = new Set<string>();
  const read = new Set<Table>();
  for (const node of nodes) {
    if (!isFileSelect(node)) continue;
    const { list: file } = node.type;
    const key = fileListKey(node);
    used.add(file);
    if (lists.has(key) || faults.has(key)) continue;
    const table = tables.get(file);
    const columns = columnsOf(node);
    const fault = faultOf(file, table, columns.value, files.get(file)?.isCut ?? false);
    if (fault === undefined) {
      lists.set(key, readList(table!, columns, log));
      read.add(table!);
    } else faults.set(key, fault);
  }
  for (const file of files.keys())
    if (!used.has(file)) log.lostInSheet(file, 'this file was not imported, because no question uses it');
  return { lists, faults, tables: [...read] };
};

/** The list that a select takes from a file; undefined for other rows, and where the file is missing or wrong. */
export const fileListOf = ({ lists }: FileLists, node: Node): List | undefined =>
  isFileSelect(node) ? lists.get(fileListKey(node)) : undefined;

/** Why a select has no list of a file; undefined if it has one. */
export const fileFaultOf = ({ faults }: FileLists, node: Node): string | undefined =>
  isFileSelect(node) ? faults.get(fileListKey(node)) : undefined;
