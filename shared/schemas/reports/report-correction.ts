import * as z from 'zod';
import { Timestamp } from '../common.ts';
import { CorrectionStatus, Revision } from '../inspections/correction.ts';
import { questionPlace, ReportAnswer } from './report-answer.ts';

/** For whom an API key acted; absent from the report where somebody acted directly. */
export const ReportActing = z
  .strictObject({
    name: z.string().nullable().meta({ description: 'The member. Null when the member was removed.' }),
    key_name: z.string().nullable(),
  })
  .meta({ id: 'ReportActing', description: 'The member for whom an API key acted, and the key.' });
export type ReportActing = z.output<typeof ReportActing>;

const ReportAnswerState = z
  .strictObject({ answer: ReportAnswer.nullable(), is_na: z.boolean(), note: z.string() })
  .meta({ id: 'ReportAnswerState', description: 'An answer before or after a change.' });
export type ReportAnswerState = z.output<typeof ReportAnswerState>;

export const ReportChange = z
  .strictObject({
    source: Revision.shape.answer_source,
    ...questionPlace,
    field_id: questionPlace.field_id.meta({
      description: 'The key of a start field; for `setup`, the name of the inspection’s field, or `finding`.',
    }),
    before: ReportAnswerState,
    after: ReportAnswerState,
    changed_by_name: z.string().nullable(),
    changed_at: Timestamp,
  })
  .meta({ id: 'ReportChange', description: 'A change of one answer. Each saved change is one.' });
export type ReportChange = z.output<typeof ReportChange>;

export const ReportCorrection = z
  .strictObject({
    position: z.int().min(1).meta({ description: 'The number in the report, from 1 in the order of time.' }),
    reason: z.string(),
    status: CorrectionStatus,
    opened_by_name: z.string().nullable(),
    opened_at: Timestamp,
    closed_by_name: z.string().nullable(),
    closed_at: Timestamp.nullable().meta({ description: 'Null while the correction is open.' }),
    approved_by_name: z.string().nullable(),
    approved_at: Timestamp.nullable().meta({ description: 'Null where no approval was needed or given.' }),
    approved_for: ReportActing.optional().meta({
      description: 'Only where an API key has approved it for a member.',
    }),
    changes: z.array(ReportChange),
  })
  .meta({
    id: 'ReportCorrection',
    description:
      'What was changed after completion, by whom, when and why. Only the changes of a `closed` one are in force: the rest of the report does not have those of one that is `open` or `pending_approval`. Rejected and discarded ones are left out.',
  });
export type ReportCorrection = z.output<typeof ReportCorrection>;
