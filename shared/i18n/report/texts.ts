/** The texts of reports, a language each. A module that imports them as one namespace finds a language by its code. */
export { ar } from './ar.ts';
export { de } from './de.ts';
export { el } from './el.ts';
export { en } from './en.ts';
export { es } from './es.ts';
export { fr } from './fr.ts';
export { he } from './he.ts';
export { hi } from './hi.ts';
export { it } from './it.ts';
export { ja } from './ja.ts';
export { nl } from './nl.ts';
export { pl } from './pl.ts';
export { pt } from './pt.ts';
export { tr } from './tr.ts';
export { uk } from './uk.ts';
export { zh } from './zh.ts';
