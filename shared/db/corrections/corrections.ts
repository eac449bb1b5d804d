/**
 * Corrections of completed inspections: sessions in which answers and the setup are changed. They end closed, after an
 * approval where the inspection asks for one, or with all their changes taken back.
 */
export { close } from './close/close.ts';
export { approve, reject, requestChanges } from './decide.ts';
export { discard } from './discard/take-back.ts';
export { get, list, listRevisions } from './lists.ts';
export { open } from './open.ts';
