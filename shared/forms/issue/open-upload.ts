import * as z from 'zod';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { MAX_PHOTO_BYTES, MAX_UPLOADS, PHOTO_TYPES } from '../../domain/issue-form/fields.ts';
import { readStamp } from '../../domain/issue-form/stamp.ts';
import type { SignedUpload } from '../../files/objects.ts';
import { openLink } from '../../issues/report.ts';
import type { LinkTargets } from '../../table/entities/organization.ts';
import { signedPhoto } from './photos.ts';

/** What the program of a form says of a photo that it wants to upload. */
export const PhotoToUpload = z.strictObject({
  stamp: z.string().max(100),
  slot: z.coerce.number().int().min(0).lt(MAX_UPLOADS),
  size: z.coerce.number().int().min(1).max(MAX_PHOTO_BYTES),
  type: z.enum(PHOTO_TYPES),
});
type PhotoToUpload = z.output<typeof PhotoToUpload>;

/**
 * Where a photo of a form is to be sent.
 * @param secret signs the forms of the link
 * @throws ApiError 422 for a form that was not handed out by the link
 */
export const uploadOf = async (
  caller: Caller,
  secret: string,
  { stamp: stampText, ...photo }: PhotoToUpload,
): Promise<{ json: SignedUpload }> => {
  const stamp = readStamp(secret, stampText);
  if (!stamp)
    throw errors.validationFailed([
      { loc: ['body', 'stamp'], type: 'value_error', msg: 'Value error, the form is not known' },
    ]);
  return { json: await signedPhoto(caller, stamp, photo) };
};

/**
 * Lets the program of a form upload one photo. Nothing is counted as stored until the form is sent: what is pending is
 * deleted by itself.
 * @throws ApiError 404 for a link that does not work; 422 for a form that was not handed out by it
 */
export const openPhotoUpload = async (
  caller: Caller,
  target: LinkTargets['issue'],
  photo: PhotoToUpload,
): Promise<{ json: SignedUpload }> => {
  const { link } = await openLink(caller, target);
  return uploadOf(caller, link.form_secret, photo);
};
