import { en, type ReportTexts } from './en.ts';

export const tr: ReportTexts = en;
