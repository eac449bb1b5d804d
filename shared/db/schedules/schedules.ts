/** Schedules: their setup, their overrides, their lists, and the inspections that they create. */
export { calendar } from './calendar.ts';
export { create } from './create.ts';
export { get, list } from './lists.ts';
export { remove } from './remove.ts';
export { update } from './update.ts';
