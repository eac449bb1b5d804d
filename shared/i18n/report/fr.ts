import { en, type ReportTexts } from './en.ts';

export const fr: ReportTexts = en;
