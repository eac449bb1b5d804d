import * as z from 'zod';
import { notFound } from '../../shared/base/errors.ts';
import { documentKey, getObject } from '../../shared/files/objects.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { picture } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { foundPhoto } from '../../shared/inspections/corrective-actions/contact.ts';
import { preparePhoto } from '../../shared/reports/presentation/images.ts';

export const operation = defineOperation({
  id: 'getActionPhoto',
  method: 'GET',
  path: '/c/{token}/photo',
  summary: 'Show a photo of what was found to the contact of a corrective action',
  link: 'action',
  visits: { perLink: 3_000, perAddress: 10_000 },
  params: z.strictObject({ token: z.string() }),
  query: z.object({ id: z.string().max(2_000) }),
  success: 200,
  response: picture('The photo, drawn anew: nothing in it says where and by which camera it was taken.'),
  native: ['sharp'],
});

export const handler = createPageHandler(operation, async ({ caller, target, query }) => {
  const photo = await foundPhoto(caller, target, query.id);
  const bytes = await getObject(caller, documentKey(caller, photo.id));
  if (!bytes) throw notFound('photo');
  const { data, mime } = await preparePhoto(Buffer.from(bytes));
  return { bytes: data, mediaType: mime };
});
