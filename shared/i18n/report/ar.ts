import { en, type ReportTexts } from './en.ts';

export const ar: ReportTexts = en;
