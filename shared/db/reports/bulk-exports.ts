/** Reports of many inspections in one file: requested and followed by clients, made by a worker in turns. */
export { create } from './bulk-exports/create.ts';
export { get, list } from './bulk-exports/lists.ts';
export type { BulkFile } from './bulk-exports/lists.ts';
export * from './bulk-exports/work.ts';
