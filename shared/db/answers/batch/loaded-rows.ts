import type { Caller } from '../../../base/caller.ts';
import { type Key, nameOfKey } from '../../table/keys.ts';
import { getRows, type Row } from '../../table/rows.ts';

/** The rows that one attempt at a change has read. Each row is read once, so all decisions see the same state. */
export class LoadedRows {
  readonly #caller: Caller;
  readonly #rows = new Map<string, Row<object> | undefined>();

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Reads those of the rows that were not read before: one call for 100 rows, none for no row. */
  async load(keys: readonly Key[]): Promise<void> {
    const unread = new Map(keys.map((key) => [nameOfKey(key), key]));
    for (const name of this.#rows.keys()) unread.delete(name);
    const rows = await getRows(this.#caller, [...unread.values()]);
    for (const [position, name] of [...unread.keys()].entries()) this.#rows.set(name, rows[position]);
  }

  /** A loaded row; undefined when there is no such row, or it was not loaded. */
  get<Resource extends object>(key: Key<Resource>): Row<Resource> | undefined {
    // `load` has stored the row by this key, and a key carries its row's type.
    return this.#rows.get(nameOfKey(key)) as Row<Resource> | undefined;
  }
}
