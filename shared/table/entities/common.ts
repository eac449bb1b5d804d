/*
 * What each row of the table holds beside its key, by area. The functions of `keys` give every key the type of its row,
 * so that a row that is read by a key has this type without a cast.
 */

/** A resource that can be edited. A write is conditional on the version that was read. */
export interface Versioned {
  id: string;
  version: number;
  created_at: string;
  updated_at: string;
}

/** What somebody did, as clients see it: with the key through which a person acted, or null. */
export interface ByPerson {
  acted_via_key_id: string | null;
}

/** The same in a row, which names the key only if there was one. */
export type Recorded<Shown extends ByPerson> = Omit<Shown, 'acted_via_key_id'> & {
  acted_via_key_id?: string;
};

/** What takes a slot (`slots.ts`) until it ends has its number. Absent or null where it has none. */
export interface SlotHolder {
  slot?: number | null;
}
