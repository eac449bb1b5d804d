/**
 * Corrections of completed inspections: sessions in which answers and start answers are changed, and which end closed
 * or discarded.
 */
export { close } from './close/close.ts';
export { discard } from './discard/discard.ts';
export { get, list, listRevisions } from './lists.ts';
export { open } from './open.ts';
