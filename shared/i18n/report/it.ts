import { en, type ReportTexts } from './en.ts';

export const it: ReportTexts = en;
