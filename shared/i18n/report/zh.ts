import { en, type ReportTexts } from './en.ts';

export const zh: ReportTexts = en;
