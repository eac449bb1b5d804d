import * as z from 'zod';
import { logoImage } from '../../shared/files/logo-image.ts';
import { replaceLogo } from '../../shared/files/logo.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { multipart } from '../../shared/http/operation/forms.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Organization } from '../../shared/schemas/organization.ts';

export const operation = defineOperation({
  id: 'uploadLogo',
  method: 'POST',
  path: '/org/logo',
  summary: 'Upload the logo of the organization',
  description:
    'Replaces the current logo. The image is stored as a PNG of at most 1024 × 1024 pixels, without its metadata.',
  access: 'write',
  app: { path: '/organization/logo', roles: ['admin'] },
  body: multipart(z.strictObject({}), {
    file: {
      required: true,
      maxBytes: 2 * 1024 * 1024,
      mediaTypes: ['image/png', 'image/jpeg', 'image/webp'],
      description: 'A PNG, JPEG or WebP image; the type is detected from its bytes.',
    },
  }),
  guarded: true,
  success: 201,
  location: '/org',
  response: Organization,
  heavy: true,
  memory: 1_024,
  native: ['sharp'],
});

export const handler = createHandler(operation, async ({ body, caller, expectedVersion }) =>
  replaceLogo(caller, await logoImage(body.file.bytes), expectedVersion),
);
