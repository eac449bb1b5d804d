import { en, type ReportTexts } from './en.ts';

export const nl: ReportTexts = en;
