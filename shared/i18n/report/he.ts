import { en, type ReportTexts } from './en.ts';

export const he: ReportTexts = en;
