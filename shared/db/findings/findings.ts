/** Findings of inspections: created by people, or by answers that fail (`answers/batch/consequences.ts`). */
export { create } from './create.ts';
export { get, list } from './lists.ts';
export { remove, takeBack } from './remove.ts';
export { update, updateContent } from './update.ts';
