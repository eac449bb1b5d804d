/** Hexadecimal digits of a word of 32 bits. */
const DIGITS = 8;

/** Words of a mark. With 64 bits, the chance that any two of a million rows have the same mark is one in 37 million. */
const MARK_WORDS = 2;

/** Words of a row's hash: 96 bits, so that two states of one row never share one. */
const HASH_WORDS = 3;

/** Characters of a mark, of a row's hash, and of the number of an item, in hexadecimal. */
export const MARK_LENGTH = MARK_WORDS * DIGITS;
export const HASH_LENGTH = HASH_WORDS * DIGITS;
export const ITEM_LENGTH = DIGITS;

/** The maximum number of rows of one source. A worker needs 3.3 MB to remember that many. */
export const MAX_SOURCE_ROWS = 100_000;

/** The first number of places, a power of two, and the maximum share of them that is used. */
const FIRST_CAPACITY = 1_024;
const MAX_LOAD = 0.8;

const USED = 1;
const ACTIVE = 2;
const SEEN = 4;
const CREATED = 8;
const UPDATED = 16;

/** What a run knows of one row. */
export interface KnownRow {
  /** Whether it is stored and active. */
  isActive: boolean;
  /** Of the values that are stored. Meaningless unless it is active. */
  hash: string;
  /** Whether it was on a page of this run. */
  isSeen: boolean;
  /** The item that it was last seen as. */
  item: number;
  /** What this run has done to it. */
  outcome: 'created' | 'updated' | null;
}

const NO_ROW: KnownRow = { isActive: false, hash: '', isSeen: false, item: 0, outcome: null };

/** Rows that were seen, by their marks, each with the item that it was: 12 bytes a row. */
export const encodeSeen = (items: ReadonlyMap<string, number>): Uint8Array =>
  Buffer.from(
    [...items].map(([mark, item]) => mark + item.toString(16).padStart(ITEM_LENGTH, '0')).join(''),
    'hex',
  );

/** The rows that `encodeSeen` has written. */
export function* decodeSeen(bytes: Uint8Array): Generator<[mark: string, item: number]> {
  const hex = Buffer.from(bytes).toString('hex');
  for (let at = 0; at < hex.length; at += MARK_LENGTH + ITEM_LENGTH) {
    const end = at + MARK_LENGTH;
    yield [hex.slice(at, end), Number.parseInt(hex.slice(end, end + ITEM_LENGTH), 16)];
  }
}

const wordsOf = (hex: string, count: number): number[] =>
  Array.from({ length: count }, (_, n) => Number.parseInt(hex.slice(n * DIGITS, (n + 1) * DIGITS), 16));

const hexOf = (words: Uint32Array): string =>
  [...words].map((word) => word.toString(16).padStart(DIGITS, '0')).join('');

/**
 * What a run knows of the rows of its source, by their marks. It takes 25 bytes a place; a map of objects would take
 * twenty times as much. Rows that are missing at the vendor are left out until they come back.
 */
export class KnownRows {
  /** Rows that are stored or seen. */
  size = 0;
  /** Rows that are stored and active. */
  active = 0;
  #capacity = FIRST_CAPACITY;
  #marks = new Uint32Array(FIRST_CAPACITY * MARK_WORDS);
  #hashes = new Uint32Array(FIRST_CAPACITY * HASH_WORDS);
  #items = new Uint32Array(FIRST_CAPACITY);
  #flags = new Uint8Array(FIRST_CAPACITY);

  /** The bytes of memory that it takes. */
  get bytes(): number {
    return [this.#marks, this.#hashes, this.#items, this.#flags].reduce(
      (total, { byteLength }) => total + byteLength,
      0,
    );
  }

  /** Rows that are active although no page had them. */
  get missing(): number {
    let count = 0;
    for (const flags of this.#flags) if ((flags & (ACTIVE | SEEN)) === ACTIVE) count += 1;
    return count;
  }

  /** The row with a mark. */
  get(mark: string): KnownRow {
    const place = this.#placeOf(wordsOf(mark, MARK_WORDS));
    const flags = this.#flags[place]!;
    if (flags === 0) return NO_ROW;
    const isActive = (flags & ACTIVE) !== 0;
    return {
      isActive,
      hash: isActive ? hexOf(this.#hashes.subarray(place * HASH_WORDS, (place + 1) * HASH_WORDS)) : '',
      isSeen: (flags & SEEN) !== 0,
      item: this.#items[place]!,
      outcome: (flags & CREATED) !== 0 ? 'created' : (flags & UPDATED) !== 0 ? 'updated' : null,
    };
  }

  /** Notes a row that is stored and active. @param outcome what this run has done to it */
  store(mark: string, hash: string, item: number, outcome: KnownRow['outcome']): void {
    const place = this.#add(mark);
    this.active += Number((this.#flags[place]! & ACTIVE) === 0);
    this.#hashes.set(wordsOf(hash, HASH_WORDS), place * HASH_WORDS);
    this.#items[place] = item;
    const done = outcome === 'created' ? CREATED : outcome === 'updated' ? UPDATED : 0;
    this.#flags[place] = (this.#flags[place]! & SEEN) | USED | ACTIVE | done;
  }

  /** Notes a row that was on a page, stored or not. */
  see(mark: string, item: number): void {
    const place = this.#add(mark);
    this.#items[place] = item;
    this.#flags[place]! |= SEEN;
  }

  /** Notes that a row is no longer active. */
  deactivate(mark: string): void {
    const place = this.#placeOf(wordsOf(mark, MARK_WORDS));
    if ((this.#flags[place]! & ACTIVE) === 0) return;
    this.#flags[place]! &= ~ACTIVE;
    this.active -= 1;
  }

  /** The mark of the row that an item was last seen as. */
  markOfItem(item: number): string | undefined {
    for (let place = this.#items.indexOf(item); place >= 0; place = this.#items.indexOf(item, place + 1)) {
      if (this.#flags[place] !== 0)
        return hexOf(this.#marks.subarray(place * MARK_WORDS, (place + 1) * MARK_WORDS));
    }
    return undefined;
  }

  /** Where a mark is, or could be put. */
  #placeOf([first = 0, second = 0]: readonly number[]): number {
    const last = this.#capacity - 1;
    let place = second & last;
    while (
      this.#flags[place] !== 0 &&
      (this.#marks[place * MARK_WORDS] !== first || this.#marks[place * MARK_WORDS + 1] !== second)
    ) {
      place = (place + 1) & last;
    }
    return place;
  }

  /** The place of a mark. It is added if it has none. */
  #add(mark: string): number {
    const words = wordsOf(mark, MARK_WORDS);
    const place = this.#placeOf(words);
    if (this.#flags[place] !== 0) return place;
    if (this.size >= this.#capacity * MAX_LOAD) {
      this.#grow();
      return this.#add(mark);
    }
    this.#marks.set(words, place * MARK_WORDS);
    this.#flags[place] = USED;
    this.size += 1;
    return place;
  }

  #grow(): void {
    const [marks, hashes, items, flags] = [this.#marks, this.#hashes, this.#items, this.#flags];
    this.#capacity *= 2;
    this.#marks = new Uint32Array(this.#capacity * MARK_WORDS);
    this.#hashes = new Uint32Array(this.#capacity * HASH_WORDS);
    this.#items = new Uint32Array(this.#capacity);
    this.#flags = new Uint8Array(this.#capacity);
    for (const [former, kept] of flags.entries()) {
      if (kept === 0) continue;
      const mark = marks.subarray(former * MARK_WORDS, (former + 1) * MARK_WORDS);
      const place = this.#placeOf([...mark]);
      this.#marks.set(mark, place * MARK_WORDS);
      this.#hashes.set(hashes.subarray(former * HASH_WORDS, (former + 1) * HASH_WORDS), place * HASH_WORDS);
      this.#items[place] = items[former]!;
      this.#flags[place] = kept;
    }
  }
}
