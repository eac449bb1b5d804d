import type { Language } from './languages.ts';
import { ar } from './pages/ar.ts';
import { de } from './pages/de.ts';
import { el } from './pages/el.ts';
import { en, type PageTexts } from './pages/en.ts';
import { es } from './pages/es.ts';
import { fr } from './pages/fr.ts';
import { he } from './pages/he.ts';
import { hi } from './pages/hi.ts';
import { it } from './pages/it.ts';
import { ja } from './pages/ja.ts';
import { nl } from './pages/nl.ts';
import { pl } from './pages/pl.ts';
import { pt } from './pages/pt.ts';
import { tr } from './pages/tr.ts';
import { uk } from './pages/uk.ts';
import { zh } from './pages/zh.ts';

const TEXTS: Record<Language, PageTexts> = { ar, de, el, en, es, fr, he, hi, it, ja, nl, pl, pt, tr, uk, zh };

/** The texts of pages in a language. */
export const pageTexts = (language: Language): PageTexts => TEXTS[language];
