import type { Adapter, AdapterPayload } from 'oidc-provider';

/** What the local identity provider remembers: in memory, because people sign in again after a restart anyway. */
const rows = new Map<string, AdapterPayload>();

/** The store in the form that oidc-provider takes. What has expired is refused by the provider itself. */
export class PeopleStore implements Adapter {
  readonly #model: string;

  constructor(model: string) {
    this.#model = model;
  }

  #key(id: string): string {
    return `${this.#model} ${id}`;
  }

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    rows.set(this.#key(id), payload);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return rows.get(this.#key(id));
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return [...rows].find(([key, row]) => key.startsWith(`${this.#model} `) && row.uid === uid)?.[1];
  }

  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  async consume(id: string): Promise<void> {
    const row = rows.get(this.#key(id));
    if (row) row.consumed = Math.floor(Date.now() / 1_000);
  }

  async destroy(id: string): Promise<void> {
    rows.delete(this.#key(id));
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [key, { grantId: granted }] of rows) if (granted === grantId) rows.delete(key);
  }
}
