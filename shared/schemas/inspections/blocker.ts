import * as z from 'zod';
import { Uuid } from '../common.ts';
import { InstancePath } from './answer.ts';
import { Inspection } from './inspection.ts';

const InspectionBlocker = z
  .strictObject({
    code: z.enum(['required', 'invalid', 'media', 'note', 'part_not_submitted']).meta({
      id: 'InspectionBlockerCode',
      description:
        'What is missing: the answer to a required field (`required`), a valid answer (`invalid`), the media or the note that an answer needs (`media`, `note`), or the submission of another participant’s part (`part_not_submitted`).',
    }),
    section_id: Uuid.nullable().meta({
      description: 'The section of the field. Null for a start answer and for a part.',
    }),
    field_id: z.string().nullable().meta({
      description: 'The id of the field, or the key of the start field. Null for a part.',
    }),
    path: InstancePath.meta({
      description:
        'The `instance_path` of the answer. Empty outside repeat sections, for a start answer and for a part.',
    }),
    message: z.string().meta({ description: 'What is missing, as the `409` names it.' }),
  })
  .meta({ id: 'InspectionBlocker', description: 'One thing that keeps an inspection from its next step.' });
export type InspectionBlocker = z.output<typeof InspectionBlocker>;

export const InspectionBlockers = z
  .strictObject({
    inspection_id: Uuid,
    status: Inspection.shape.status,
    blockers: z.array(InspectionBlocker).meta({
      description:
        'In the order of the template, after parts and start answers. Empty when nothing is missing.',
    }),
  })
  .meta({ id: 'InspectionBlockers', description: 'What keeps an inspection from its next step.' });
export type InspectionBlockers = z.output<typeof InspectionBlockers>;
