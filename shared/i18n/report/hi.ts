import { en, type ReportTexts } from './en.ts';

export const hi: ReportTexts = en;
