import type { Named } from '../../schemas/surroundings.ts';
import { type Key, nameOfKey } from '../../table/keys.ts';
import type { RowReader } from '../../table/rows.ts';

/** What has a name: a client account, a location, a member and the like. */
type NamedKey = Key<{ id: string; name: string }>;

/** The present names of what the rows of one list belong to. Each is read once. */
export class PresentNames {
  readonly #known = new Map<string, Named | null>();

  /** Those that were not read yet. */
  unknown(keys: readonly (NamedKey | undefined)[]): NamedKey[] {
    return keys.filter((key) => key !== undefined && !this.#known.has(nameOfKey(key))) as NamedKey[];
  }

  /** Takes over what was read. @param keys those that were unknown */
  learn(keys: readonly NamedKey[], rowsOf: RowReader): void {
    for (const [position, row] of rowsOf(keys).entries())
      this.#known.set(nameOfKey(keys[position]!), row ? { id: row.id, name: row.name } : null);
  }

  /** The name of what exists; null for anything else. */
  of(key: NamedKey | undefined): Named | null {
    return (key && this.#known.get(nameOfKey(key))) ?? null;
  }
}
