/** A report that was sent while there was no connection, as this device keeps it. */
export interface Draft {
  /** The path of the form: a device may have drafts of several links. */
  page: string;
  stamp: string;
  fields: [string, string][];
  photos: { slot: number; question: string; blob: Blob }[];
  /** Epoch milliseconds. */
  savedAt: number;
}

const STORE = 'drafts';

/** After that the server no longer takes the form, in milliseconds. */
const MAX_AGE = 13 * 86_400_000;

const open = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open('reports', 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'page' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('no storage'));
  });

const within = async <Result>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> => {
  const database = await open();
  try {
    return await new Promise<Result>((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? new Error('not stored'));
    });
  } finally {
    database.close();
  }
};

/** Keeps a draft. @returns whether the device has kept it: some windows have no storage */
export const keep = (draft: Draft): Promise<boolean> =>
  within('readwrite', (store) => store.put(draft)).then(
    () => true,
    () => false,
  );

/** The draft of a form; undefined without one. One that is too old is deleted. */
export const find = async (page: string): Promise<Draft | undefined> => {
  const draft = await within<Draft | undefined>('readonly', (store) => store.get(page)).catch(
    () => undefined,
  );
  if (!draft || Date.now() - draft.savedAt < MAX_AGE) return draft;
  await drop(page);
  return undefined;
};

export const drop = (page: string): Promise<unknown> =>
  within('readwrite', (store) => store.delete(page)).catch(() => undefined);
