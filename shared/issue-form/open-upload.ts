import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { openLink } from '../db/issues/report.ts';
import type { LinkTargets } from '../db/table/entities/organization.ts';
import { readStamp } from '../domain/issue-form/stamp.ts';
import type { SignedUpload } from '../storage/objects.ts';
import { signedPhoto } from './photos.ts';

/**
 * Lets the program of a form upload one photo. Nothing is counted as stored until the form is sent: what is pending is
 * deleted by itself.
 * @throws ApiError 404 for a link that does not work; 422 for a form that was not handed out by it
 */
export const openPhotoUpload = async (
  caller: Caller,
  target: LinkTargets['issue'],
  stampText: string,
  photo: { slot: number; size: number; type: string },
): Promise<{ json: SignedUpload }> => {
  const { link } = await openLink(caller, target);
  const stamp = readStamp(link.form_secret, stampText);
  if (!stamp)
    throw errors.validationFailed([
      { loc: ['body', 'stamp'], type: 'value_error', msg: 'Value error, the form is not known' },
    ]);
  return { json: await signedPhoto(caller, stamp, photo) };
};
