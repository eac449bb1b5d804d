import { en, type ReportTexts } from './en.ts';

export const pt: ReportTexts = en;
