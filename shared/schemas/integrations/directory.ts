import * as z from 'zod';
import { ExpectedVersion, listQuery, resourceFields, resourceVersion, Timestamp, Uuid } from '../common.ts';

export const CandidateStatus = z.enum(['new', 'invited', 'linked', 'ignored', 'left_source']);
export type CandidateStatus = z.output<typeof CandidateStatus>;

export const Candidate = z
  .strictObject({
    ...resourceFields,
    source_id: Uuid,
    external_id: z.string(),
    name: z.string(),
    email: z.string().nullable(),
    position: z.string().nullable(),
    status: CandidateStatus.meta({
      description:
        '`linked`: an active member has the same email address. `left_source`: the person has gone from the source; a member stays one until an admin acts.',
    }),
    matched_user_id: Uuid.nullable().meta({ description: 'The member with the same email address.' }),
    first_seen_at: Timestamp,
    last_seen_at: Timestamp,
    version: resourceVersion(),
  })
  .meta({
    id: 'UserCandidate',
    description: 'A person of a directory source. This alone gives no access.',
  });
export type Candidate = z.output<typeof Candidate>;

export const CandidateChanges = z
  .strictObject({
    status: z
      .enum(['new', 'ignored'])
      .meta({ description: '`ignored`: the person is not to become a member.' }),
    expected_version: ExpectedVersion,
  })
  .partial()
  .meta({ id: 'UserCandidateChanges' });
export type CandidateChanges = Omit<z.output<typeof CandidateChanges>, 'expected_version'>;

export const candidateQuery = listQuery({
  status: z
    .array(CandidateStatus)
    .max(5)
    .optional()
    .meta({ description: 'Only people with one of these statuses. The parameter can be repeated.' }),
  source_id: Uuid.optional().meta({ description: 'Only people of this source.' }),
});
export type CandidateQuery = z.output<typeof candidateQuery>;
