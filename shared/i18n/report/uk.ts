import { en, type ReportTexts } from './en.ts';

export const uk: ReportTexts = en;
