import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as signatureLinks from '../../shared/inspections/answers/signature-links.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { NewSignatureLink, SignatureLink } from '../../shared/schemas/inspections/signature-link.ts';

export const operation = defineOperation({
  id: 'createSignatureLink',
  method: 'POST',
  path: '/inspections/{inspection_id}/signature-links',
  summary: 'Let a witness sign by a link',
  description:
    'Makes a link to a page that shows the section with its answers, and takes the signature of somebody outside the organization. It is saved as the answer to the field, with the name of the witness. If an answer of the section changes while the page is open, the page shows it and asks again. The link works once and for 14 days; it ends earlier when it is revoked, when the field is answered otherwise, and while the inspection takes no answers. Only this reply has the `url`; with an idempotency key, the repeated reply has it as well, for 24 hours. With `email`, the link is mailed as well, and `mail` shows what became of that. `409` for a field that has an answer, and in a correction.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  body: NewSignatureLink,
  success: 201,
  response: SignatureLink,
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  signatureLinks.create(caller, params.inspection_id, body),
);
