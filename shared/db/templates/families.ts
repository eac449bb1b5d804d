/** Template families: each is one template over time, with its settings and its versions. */
export { create } from './families/create.ts';
export { get, list } from './families/lists.ts';
export { archive, restore, update } from './families/update.ts';
