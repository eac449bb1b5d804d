import { en, type ReportTexts } from './en.ts';

export const ja: ReportTexts = en;
