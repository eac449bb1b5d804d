import * as z from 'zod';
import {
  ActedViaKeyId,
  Caption,
  Count,
  Instant,
  listQuery,
  MAX_MEDIA,
  resourceFields,
  resourceVersion,
  Timestamp,
  Uuid,
  Problem,
} from '../common.ts';

const MediaItem = z
  .strictObject({ document_id: Uuid, caption: Caption.default('') })
  .meta({ id: 'MediaItem', description: 'A photo or another document of an answer or a finding.' });

/** Answers of one request. */
export const MAX_BATCH = 500;

/** How far the clock of a client may be ahead, in milliseconds. */
const MAX_AHEAD_MS = 86_400_000;

/** When a client says that something was answered. */
const ClientTime = Instant.refine((at) => Date.parse(at) <= Date.now() + MAX_AHEAD_MS, {
  error: 'Value error, should be at most one day in the future',
});

export const Media = z.array(MediaItem).max(MAX_MEDIA);

export const InstancePath = z
  .string()
  .max(250)
  .regex(/^[\w[\]/-]*$/)
  .meta({
    description:
      'The instance of each repeat section around the field: segments `section_id[i]` joined by `/`, the outermost first, with `i` from 0. Empty outside repeat sections. An instance exists as soon as something in it is answered, and indexes may be skipped.',
  });

const VALUES = `The form depends on the type of the field:

- \`text\`, \`barcode\`: a text of at most 1,000 characters; \`long_text\`: of at most 20,000. The field's \`max_length\` replaces these limits.
- \`number\`, \`slider\`, \`rating\`, \`temperature\`: a number from \`min\` to \`max\`, in steps from \`min\` (from 0 without it), and within ±1e15.
- \`yes_no\`, \`checkbox\`: a boolean.
- \`yes_no_na\`, \`pass_fail_na\`, \`single_select\`: the \`value\` of an option; \`multi_select\`: a list of such values, each only once.
- \`date\`: \`YYYY-MM-DD\`; \`time\`: \`HH:MM\` or \`HH:MM:SS\`; \`datetime\`: RFC 3339 with a UTC offset.
- \`photo\`, \`video\`, \`audio\`, \`file\`, \`drawing\`: a list of \`{document_id, caption}\`, each document only once.
- \`signature\`: \`{document_id, signed_name, signed_at}\`, or with \`typed\` instead of \`document_id\`; \`signed_at\` is optional.
- \`geo_point\`: \`{lat, lng, accuracy_m}\`; \`accuracy_m\` is optional.
- \`address\`: any of \`{line1, line2, city, region, postal_code, country}\`; \`country\` by ISO 3166-1 alpha-2.
- \`member\`: a \`user_id\`; \`client_account\`, \`location\`: an id; \`reference\`: \`{source_id, external_id, label}\`.
- \`calculated\` fields are computed by their formula and \`instruction\` fields are only shown: neither can be answered.`;

export const AnswerRecord = z
  .strictObject({
    ...resourceFields,
    section_id: Uuid,
    field_id: Uuid,
    instance_index: Count.meta({
      description: 'The innermost index of `instance_path`; 0 outside repeat sections.',
    }),
    instance_path: InstancePath,
    value: z
      .unknown()
      .meta({ description: "Its form depends on the field's type; null when cleared or not applicable." }),
    note: z.string(),
    is_na: z.boolean(),
    media: Media,
    is_failed: z.boolean(),
    is_active: z
      .boolean()
      .meta({ description: 'False while a condition hides the field. The answer is kept.' }),
    score: z
      .number()
      .nullable()
      .meta({ description: 'The points of the answer; null when it is not scored.' }),
    max_score: z.number().nullable(),
    answered_by: Uuid.nullable().meta({
      description: 'Who last changed the answer; null when it is cleared, or a witness has signed by a link.',
    }),
    acted_via_key_id: ActedViaKeyId,
    answered_at: Timestamp.nullable().meta({
      description: 'When the service saved the last change of the answer; null when it is cleared.',
    }),
    client_answered_at: Timestamp.nullable().meta({
      description:
        'When the answer was given, by the clock of the client; null when the client has not said it, or the answer is cleared.',
    }),
    is_prefilled: z.boolean().meta({
      description:
        'True while the answer is only taken over from an earlier inspection (`prefill_from_inspection_id`). It is a suggestion: until it is saved, with the same value or another, or confirmed, the field counts as unanswered everywhere: in the progress, in conditions and formulas, in the score, in reports, and when the inspection is submitted.',
    }),
    is_carried_over: z.boolean().meta({
      description:
        'True for an answer that a re-inspection has taken over from the first inspection. It counts everywhere, with its note, media and author, and cannot be changed.',
    }),
    is_asked_again: z.boolean().meta({
      description:
        'True for what a re-inspection asks again. The record is empty until the field is answered.',
    }),
    earlier_finding_id: Uuid.nullable().meta({
      description:
        'The finding of an earlier inspection that was open at this field when the re-inspection was created.',
    }),
    version: resourceVersion(),
  })
  .meta({
    id: 'AnswerRecord',
    description: 'The answer to one field, in one instance of the repeat sections around it.',
  });
export type AnswerRecord = z.output<typeof AnswerRecord>;

export const FormerAnswer = AnswerRecord.pick({
  id: true,
  section_id: true,
  field_id: true,
  instance_path: true,
  value: true,
  note: true,
  is_na: true,
  media: true,
  answered_by: true,
  acted_via_key_id: true,
  answered_at: true,
  client_answered_at: true,
})
  .extend({
    is_late: z.boolean().meta({
      description:
        'Whether it arrived after an answer that was given later (`superseded`), and so never stood in the record.',
    }),
    replaced_at: Timestamp.meta({ description: 'When another answer replaced it, or it arrived too late.' }),
  })
  .meta({
    id: 'FormerAnswer',
    description: 'An answer that another one has replaced. Its media may have been deleted.',
  });
export type FormerAnswer = z.output<typeof FormerAnswer>;

export const formerAnswerQuery = listQuery({ field_id: Uuid.optional() }).omit({ updated_since: true });
export type FormerAnswerQuery = z.output<typeof formerAnswerQuery>;

/** The data of the event `inspection.answers_saved`. */
export const AnswersSaved = z
  .strictObject({
    inspection_id: Uuid,
    answers: z.array(
      AnswerRecord.pick({
        section_id: true,
        field_id: true,
        instance_path: true,
        client_answered_at: true,
      }).extend({
        version: AnswerRecord.shape.version
          .nullable()
          .meta({ description: 'The new version of its record; null when the record was deleted.' }),
      }),
    ),
  })
  .meta({
    id: 'AnswersSaved',
    description: 'Which answers were saved together. Their values are not part of it.',
  });

const Note = z
  .string()
  .max(10_000)
  .nullable()
  .transform((text) => text ?? '');

/** The position of an answer, and the version that it must have. */
const target = {
  section_id: Uuid.meta({ description: 'The section that contains the field.' }),
  field_id: Uuid,
  instance_index: z.int().min(0).optional().meta({
    description: 'Can replace `instance_path` where repeat sections are not nested; 0 when left out.',
  }),
  instance_path: InstancePath.optional(),
  expected_version: z.int().min(0).optional().meta({
    description:
      'The version that the answer still has; 0 when it must not exist yet. Otherwise the answer is not saved: `409`.',
  }),
};

/** The client's own id for an instance of a repeat section. */
const ClientInstanceId = z.string().min(1).max(100).meta({
  description:
    "The client's own id for the instance, unique in the inspection: a random one, such as a UUID.",
});

const newAnswer = {
  ...target,
  client_instance_id: ClientInstanceId.optional().meta({
    description:
      'In place of `instance_path`, the client’s own id for the instance of the repeat section around the field. If nothing has it yet, the next free index is reserved for it, as `POST …/instances` does.',
  }),
  parent_path: InstancePath.toLowerCase().optional().meta({
    description:
      'With `client_instance_id`, the instance of each repeat section around that section; empty when left out.',
  }),
  value: z
    .unknown()
    .default(null)
    .meta({ description: `${VALUES}\n\nNull clears the answer but keeps its record.` }),
  note: Note.default(''),
  is_na: z.boolean().default(false),
  media: Media.default([]).meta({
    description: 'Media that accompany the value. For a media field, send them as the value.',
  }),
  client_answered_at: ClientTime.nullish().meta({
    description:
      'When the answer was given, by the clock of the client: at most one day in the future. Another time is a change of the answer, and an answer that was given earlier than the stored one does not replace it, unless `expected_version` is sent or a correction is open. When it is left out, an answer that is stored already keeps its time, and any other has none.',
  }),
};

export const NewAnswer = z
  .strictObject(newAnswer)
  .meta({ id: 'NewAnswer', description: 'The complete new answer: whatever is left out becomes empty.' });
export type NewAnswer = Omit<z.output<typeof NewAnswer>, 'expected_version'>;

export const AnswerChanges = z
  .strictObject({
    ...target,
    value: z.unknown().optional().meta({
      description: 'As in `PUT …/responses`. A value, null included, ends `is_na` unless that is sent too.',
    }),
    note: Note.optional(),
    is_na: z.boolean().optional().meta({ description: 'True clears the value.' }),
    media: Media.optional().meta({ description: 'Replaces all media that accompany the value.' }),
    client_answered_at: ClientTime.nullish().meta({
      description:
        'As in `PUT …/responses`. When it is left out, the time stays with a change of the note alone.',
    }),
  })
  .meta({ id: 'AnswerChanges', description: 'Changes of one answer: whatever is left out stays.' });
export type AnswerChanges = Omit<z.output<typeof AnswerChanges>, 'expected_version'>;

export const BatchedAnswer = z
  .strictObject({ ...newAnswer, client_mutation_id: z.string().min(1).max(100).optional() })
  .meta({
    id: 'BatchedAnswer',
    description:
      'The complete new answer: whatever is left out becomes empty. With a `client_mutation_id` it is saved only once, however often it is sent.',
  });
export type BatchedAnswer = z.output<typeof BatchedAnswer>;

export const AnswerBatch = z
  .strictObject({ responses: z.array(BatchedAnswer).max(MAX_BATCH) })
  .meta({ id: 'AnswerBatch' });

export const Confirmation = z
  .strictObject({
    section_id: Uuid.optional().meta({
      description: 'Only the answers in this section, without those in sections within it.',
    }),
    field_ids: z
      .array(Uuid)
      .min(1)
      .max(MAX_BATCH)
      .optional()
      .meta({ description: 'Only the answers to these fields.' }),
    client_answered_at: ClientTime.nullish().meta({
      description: 'When they were confirmed, by the clock of the client: at most one day in the future.',
    }),
  })
  .meta({ id: 'Confirmation', description: 'The prefilled answers to confirm: all of them by default.' });
export type Confirmation = z.output<typeof Confirmation>;

export const AnswerResult = z
  .strictObject({
    index: z.int().min(0).meta({ description: 'The position of the answer in the request, from 0.' }),
    status: z.enum(['saved', 'unchanged', 'superseded', 'conflict', 'invalid']),
    response: AnswerRecord.optional().meta({
      description: 'The record as it is now. With a conflict, this is what someone else saved.',
    }),
    detail: z
      .union([z.string(), z.array(Problem)])
      .optional()
      .meta({
        description:
          'The `detail` that a PUT of this answer alone would return, with 409 (`conflict`), or with 400 or 422 (`invalid`).',
      }),
  })
  .meta({ id: 'AnswerResult' });
export type AnswerResult = z.output<typeof AnswerResult>;

export const AnswerBatchResults = z
  .strictObject({ results: z.array(AnswerResult) })
  .meta({ id: 'AnswerBatchResults', description: 'The result of each answer, in the order of the request.' });

export const answerQuery = listQuery({
  section_id: Uuid.optional(),
  instance_path: InstancePath.toLowerCase().optional().meta({
    description:
      'Only answers in exactly this instance, without those of instances within it; empty for those outside repeat sections.',
  }),
});
export type AnswerQuery = z.output<typeof answerQuery>;

const instance = {
  section_id: Uuid.meta({ description: 'The repeat section.' }),
  parent_path: InstancePath.toLowerCase().meta({
    description:
      'The instance of each repeat section around the section, in the form of `instance_path`; empty for a section that is in no other repeat section.',
  }),
  client_instance_id: ClientInstanceId,
};

export const NewInstance = z
  .strictObject({ ...instance, parent_path: instance.parent_path.default('') })
  .meta({ id: 'NewInstance' });
export type NewInstance = z.output<typeof NewInstance>;

export const Instance = z
  .strictObject({
    ...instance,
    instance_index: Count,
    instance_path: InstancePath.meta({ description: 'Where the answers of the instance belong.' }),
    created_by: Uuid,
    created_at: Timestamp,
  })
  .meta({ id: 'Instance', description: 'An instance of a repeat section whose index is reserved for it.' });
export type Instance = z.output<typeof Instance>;
