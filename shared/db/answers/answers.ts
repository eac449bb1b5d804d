/** The answers of an inspection: one record for each field, in each instance of the sections around it. */
export { createInstance } from './create-instance.ts';
export { list } from './list.ts';
export { removeInstance } from './remove-instance.ts';
export { confirm } from './save/confirm.ts';
export { replaceAll } from './save/replace-all.ts';
export { replace, update } from './save/save-one.ts';
