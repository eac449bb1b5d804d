import { en, type ReportTexts } from './en.ts';

export const es: ReportTexts = en;
