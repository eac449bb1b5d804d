/** Locations: the sites of an organization or of its client accounts, one below another. */
export { create } from './create.ts';
export { get, list } from './lists.ts';
export { deleteOfClient, remove } from './remove.ts';
export { update } from './update.ts';
