import type { Language } from '../languages.ts';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { el } from './el.ts';
import { en, type RecurrenceTexts } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { he } from './he.ts';
import { hi } from './hi.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import { tr } from './tr.ts';
import { uk } from './uk.ts';
import { zh } from './zh.ts';

/** The texts that describe a recurrence, in every language. A language without one of them does not compile. */
export const RECURRENCE_TEXTS: Readonly<Record<Language, RecurrenceTexts>> = {
  en,
  ar,
  de,
  el,
  es,
  fr,
  he,
  hi,
  it,
  ja,
  nl,
  pl,
  pt,
  tr,
  uk,
  zh,
};
