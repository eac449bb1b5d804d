import * as z from 'zod';
import { Uuid } from '../common.ts';
import { CorrectiveAction } from '../corrective-action.ts';
import { Document } from '../document.ts';
import { Finding } from '../finding.ts';
import { AnswerRecord, InstancePath } from './answer.ts';
import { Inspection } from './inspection.ts';
import { InspectionSection } from './outline.ts';

/** Where a file hangs in an inspection. */
const DocumentPlace = z
  .strictObject({
    kind: z.enum(['start_answer', 'answer', 'finding', 'corrective_action']),
    field_id: Uuid.nullable().meta({
      description: 'The question; null for a start answer, and without one.',
    }),
    instance_path: InstancePath,
    start_key: z.string().nullable().meta({ description: 'The key of the start question; null elsewhere.' }),
    finding_id: Uuid.nullable().meta({ description: 'The finding; null for an answer.' }),
    corrective_action_id: Uuid.nullable().meta({
      description: 'The corrective action; set only for an attachment of one.',
    }),
    stage: z.enum(['before', 'after']).nullable().meta({
      description: 'For an attachment: whether it shows what was found, or what was done about it.',
    }),
    caption: z.string(),
  })
  .meta({ id: 'DocumentPlace', description: 'Where a file is used in an inspection.' });
export type DocumentPlace = z.output<typeof DocumentPlace>;

export const InspectionDocument = Document.extend({
  places: z.array(DocumentPlace).meta({ description: 'All places in the inspection that show it.' }),
}).meta({ id: 'InspectionDocument', description: 'A file of an inspection, and where it is used in it.' });
export type InspectionDocument = z.output<typeof InspectionDocument>;

/** What GET of an inspection can include. */
export const InspectionPart = z.enum([
  'responses',
  'findings',
  'corrective_actions',
  'documents',
  'sections',
]);
export type InspectionPart = z.output<typeof InspectionPart>;

const includedWith = (name: InspectionPart): string => `Only with \`include=${name}\`.`;

export const InspectionWithParts = Inspection.extend({
  responses: z
    .array(AnswerRecord)
    .optional()
    .meta({ description: includedWith('responses') }),
  findings: z
    .array(Finding)
    .optional()
    .meta({ description: includedWith('findings') }),
  corrective_actions: z
    .array(CorrectiveAction)
    .optional()
    .meta({ description: includedWith('corrective_actions') }),
  documents: z
    .array(InspectionDocument)
    .optional()
    .meta({ description: includedWith('documents') }),
  sections: z
    .array(InspectionSection)
    .optional()
    .meta({
      description: `The sections in the order of the form, with what is answered in each. ${includedWith('sections')}`,
    }),
}).meta({
  id: 'InspectionWithParts',
  description: 'An inspection, with those of its parts that the request includes.',
});
export type InspectionWithParts = z.output<typeof InspectionWithParts>;
