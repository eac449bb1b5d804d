import { en, type ReportTexts } from './en.ts';

export const de: ReportTexts = en;
