import { stringify } from 'csv-stringify/sync';
import { pathText, type TaskLine } from '../../domain/contact-tasks.ts';
import type { Download } from '../../http/operation/responses.ts';
import { CSV_FORM } from './csv-form.ts';

/** The columns in their order. Programs find them by their names, which are the same in every language. */
const COLUMNS: Readonly<Record<string, (task: TaskLine) => string | number | null>> = {
  number: ({ number }) => number,
  title: ({ title }) => title,
  place: ({ place }) => pathText(place),
  due_day: ({ due_day }) => due_day,
  due_at: ({ due_at }) => due_at,
  timezone: ({ timezone }) => timezone,
  is_overdue: ({ is_overdue }) => String(is_overdue),
  finding: ({ finding }) => finding.label,
  severity: ({ finding }) => finding.severity,
  priority: ({ priority }) => priority,
  status: ({ status }) => status,
  description: ({ description }) => description,
  photos: ({ evidence_count }) => evidence_count,
  needs_photo: ({ needs_photo }) => String(needs_photo),
};

/** The tasks of a contact as a file that spreadsheets read. */
export const tasksFile = (tasks: readonly TaskLine[]): Download => ({
  text: stringify(
    [Object.keys(COLUMNS), ...tasks.map((task) => Object.values(COLUMNS).map((cell) => cell(task)))],
    CSV_FORM,
  ),
  mediaType: 'text/csv; charset=utf-8',
  fileName: 'tasks.csv',
});
