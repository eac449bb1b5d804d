/** What somebody did, as clients see it: with the key through which a person acted, or null. */
export interface ByPerson {
  acted_via_key_id: string | null;
}

/** The same in a row, which names the key only if there was one. */
export type Recorded<Shown extends ByPerson> = Omit<Shown, 'acted_via_key_id'> & {
  acted_via_key_id?: string;
};
