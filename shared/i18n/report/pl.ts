import { en, type ReportTexts } from './en.ts';

export const pl: ReportTexts = en;
