/** Report layouts of template families. No two layouts of a family have the same name, ignoring case. */
export { create } from './report-layouts/create.ts';
export { get, list } from './report-layouts/lists.ts';
export { remove } from './report-layouts/remove.ts';
export { update } from './report-layouts/update.ts';
