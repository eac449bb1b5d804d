import type { Caller } from '../../base/caller.ts';
import type { Named } from '../../schemas/surroundings.ts';
import { type Key, keys, nameOfKey } from '../../table/keys.ts';
import type { RowReader } from '../../table/rows.ts';

/** What has a name: a client account, a location, a member and the like. */
type NamedKey = Key<{ id: string; name: string }>;

/** What an inspection, or a part of it, belongs to. */
export interface Placed {
  client_account_id: string | null;
  location_id: string | null;
  template_family_id: string;
  asset_id?: string | null | undefined;
}

/** What has the names of all that something belongs to. */
const keysOf = (
  caller: Caller,
  { client_account_id, location_id, template_family_id, asset_id }: Placed,
) => ({
  client_account: client_account_id === null ? undefined : keys.one(caller, 'CLIENT', client_account_id),
  location: location_id === null ? undefined : keys.one(caller, 'LOCATION', location_id),
  template_family: keys.one(caller, 'FAMILY', template_family_id),
  asset: asset_id ? keys.one(caller, 'ASSET', asset_id) : undefined,
});

/** What has the names of all that something belongs to, as one list. */
export const placeKeys = (caller: Caller, placed: Placed) => Object.values(keysOf(caller, placed));

/** The present names of what the rows of one list belong to. Each is read once. */
export class PresentNames {
  readonly #known = new Map<string, Named | null>();

  /** Those that were not read yet. */
  unknown(wanted: readonly (NamedKey | undefined)[]): NamedKey[] {
    return wanted.filter((key) => key !== undefined && !this.#known.has(nameOfKey(key))) as NamedKey[];
  }

  /** Takes over what was read. @param read those that were unknown */
  learn(read: readonly NamedKey[], rowsOf: RowReader): void {
    for (const [position, row] of rowsOf(read).entries())
      this.#known.set(nameOfKey(read[position]!), row ? { id: row.id, name: row.name } : null);
  }

  /** The name of what exists; null for anything else. */
  of(key: NamedKey | undefined): Named | null {
    return (key && this.#known.get(nameOfKey(key))) ?? null;
  }

  /** The names of all that something belongs to. */
  around(caller: Caller, placed: Placed): Record<keyof ReturnType<typeof keysOf>, Named | null> {
    const { client_account, location, template_family, asset } = keysOf(caller, placed);
    return {
      client_account: this.of(client_account),
      location: this.of(location),
      template_family: this.of(template_family),
      asset: this.of(asset),
    };
  }
}
