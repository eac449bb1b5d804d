import { en, type ReportTexts } from './en.ts';

export const el: ReportTexts = en;
