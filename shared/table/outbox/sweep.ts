/** Organizations that are served at once, so that a slow one delays few others. */
const MAX_AT_ONCE = 8;

/** After so many failures in a row with one kind of work, the sweep leaves that kind to the next one. */
const MAX_FAILED_IN_A_ROW = 3;

/** Something to do for an organization. */
interface OfOrganization {
  org_id: string;
}

/** Organizations whose work of one kind is left for the next sweep, and why. */
export interface Delay<Item> {
  items: readonly Item[];
  error: unknown;
}

/**
 * One run of a worker over the work of many organizations. Organizations do not wait for each other: each is served by
 * itself, a few at once. Work that fails is left for the next sweep, with all work of that kind of the organization. A
 * kind of work that fails for everybody is left as well, so that there is time for the other kinds.
 */
export class Sweep<Item extends OfOrganization> {
  readonly delays: Delay<Item>[] = [];
  readonly #kindOf: (item: Item) => string;
  readonly #serve: (items: readonly Item[]) => Promise<void>;
  readonly #end: number;
  readonly #waiting = new Set<string>();
  readonly #failedInARow = new Map<string, number>();

  /**
   * @param time how long the sweep begins new work, in milliseconds
   * @param serve does the work of one kind of one organization; it throws when this work has to wait
   */
  constructor(
    time: number,
    kindOf: (item: Item) => string,
    serve: (items: readonly Item[]) => Promise<void>,
  ) {
    this.#end = Date.now() + time;
    this.#kindOf = kindOf;
    this.#serve = serve;
  }

  get isOver(): boolean {
    return Date.now() >= this.#end;
  }

  /** Serves all organizations that have work among these items. It does not throw: see `delays`. */
  async serve(items: readonly Item[]): Promise<void> {
    const nameOf = (item: Item) => `${item.org_id} ${this.#kindOf(item)}`;
    // Every taker goes on with the next group that nobody has taken.
    const groups = Map.groupBy(items, nameOf).entries();
    const take = async () => {
      for (const [name, group] of groups) await this.#serveGroup(name, group);
    };
    await Promise.all(Array.from({ length: MAX_AT_ONCE }, take));
  }

  async #serveGroup(name: string, items: readonly Item[]): Promise<void> {
    const kind = this.#kindOf(items[0]!);
    const failed = () => this.#failedInARow.get(kind) ?? 0;
    if (this.isOver || this.#waiting.has(name) || failed() >= MAX_FAILED_IN_A_ROW) return;
    try {
      await this.#serve(items);
      this.#failedInARow.set(kind, 0);
    } catch (error) {
      this.#waiting.add(name);
      this.#failedInARow.set(kind, failed() + 1);
      this.delays.push({ items, error });
    }
  }
}
