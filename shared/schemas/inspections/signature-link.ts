import * as z from 'zod';
import { RequiredText, resourceFields, Timestamp, Uuid } from '../common.ts';
import { Email } from '../contact.ts';
import { MailProgress } from '../mail.ts';
import { AnswerRecord, InstancePath } from './answer.ts';

/** Days for which a witness can sign by a link. */
export const SIGNATURE_LINK_DAYS = 14;

export const SignatureLink = z
  .strictObject({
    ...resourceFields,
    inspection_id: Uuid,
    section_id: Uuid,
    field_id: Uuid,
    instance_path: AnswerRecord.shape.instance_path,
    name: z.string().meta({ description: 'The witness, who signs with this name.' }),
    email: Email.nullable(),
    url: z.url().nullable().meta({
      description: 'The link. Only the reply that creates it has it; it cannot be shown again.',
    }),
    status: z.enum(['active', 'signed', 'revoked', 'expired', 'ended']).meta({
      description:
        '`signed`: the witness has signed by it. `ended`: the field has another answer, or the inspection takes no answers.',
    }),
    expires_at: Timestamp,
    signed_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable(),
    mail: MailProgress.nullable().meta({
      description: 'What became of the mail with the link; null without an email address.',
    }),
    created_by: z.string(),
  })
  .meta({
    id: 'SignatureLink',
    description:
      'A link by which somebody outside the organization signs a section, once and without signing in.',
  });
export type SignatureLink = z.output<typeof SignatureLink>;

export const NewSignatureLink = z
  .strictObject({
    section_id: Uuid,
    field_id: Uuid.meta({ description: 'A signature field of the section.' }),
    instance_path: InstancePath.default(''),
    name: RequiredText.max(200).meta({ description: 'The witness, who signs with this name.' }),
    email: Email.optional().meta({ description: 'The link is mailed to this address.' }),
  })
  .meta({ id: 'NewSignatureLink' });
export type NewSignatureLink = z.output<typeof NewSignatureLink>;
