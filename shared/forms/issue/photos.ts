import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { MAX_PHOTO_BYTES, type SentPhoto, type Sent } from '../../domain/issue-form/fields.ts';
import type { Stamp } from '../../domain/issue-form/stamp.ts';
import type { BroughtPhoto } from '../../files/documents.ts';
import { fileKind } from '../../files/file-kind.ts';
import { openImage } from '../../files/image-library.ts';
import {
  discardObject,
  documentKey,
  getObject,
  getObjectHead,
  pendingKey,
  putObject,
  signedForm,
  type SignedForm,
  type SignedUpload,
  signedUpload,
} from '../../files/objects.ts';
import { storageUse } from '../../table/stored-bytes.ts';

const FORMATS = new Set(['image/png', 'image/apng', 'image/jpeg', 'image/webp']);

/** Pixels of a photo that is decoded: more than any phone has. Even a small file can declare a huge number of them. */
const MAX_PIXELS = 120_000_000;

/** Pixels of width and height. */
const MAX_SIDE = 4_096;

const JPEG_QUALITY = 85;
const JPEG = 'image/jpeg';

/** The name of an uploaded photo. Only somebody who knows the form's nonce can store it, and nobody can read it. */
const photoName = (nonce: string, slot: number) => ['issue-photos', nonce, String(slot)] as const;

const photoKey = (caller: Caller, nonce: string, slot: number): string =>
  pendingKey(caller, ...photoName(nonce, slot));

/** What a program needs to upload a photo of exactly this size and type. @param size bytes */
export const signedPhoto = (
  caller: Caller,
  { nonce }: Stamp,
  { slot, size, type }: { slot: number; size: number; type: string },
): Promise<SignedUpload> => signedUpload(caller, photoKey(caller, nonce, slot), { size, contentType: type });

/** The form by which a browser without a program uploads a photo. */
export const photoForm = (
  caller: Caller,
  { nonce }: Stamp,
  slot: number,
  returnTo: string,
): Promise<SignedForm> =>
  signedForm(caller, photoKey(caller, nonce, slot), { maxBytes: MAX_PHOTO_BYTES, returnTo });

/** The origin to which photos are uploaded. */
export const uploadsOrigin = async (caller: Caller, stamp: Stamp): Promise<string> =>
  new URL((await signedPhoto(caller, stamp, { slot: 0, size: 1, type: JPEG })).url).origin;

/**
 * The picture in a file, upright and drawn anew: everything else in the file is removed, such as the place where it
 * was taken, or a program. Undefined for a file that is no PNG, JPEG or WebP, is too large or cannot be decoded
 * completely.
 */
export const drawnAnew = async (bytes: Uint8Array): Promise<Uint8Array | undefined> => {
  if (bytes.length > MAX_PHOTO_BYTES || !FORMATS.has((await fileKind(bytes, '')).mimeType)) return undefined;
  try {
    const { image } = await openImage(bytes, MAX_PIXELS);
    return await image
      .rotate()
      .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#fff' })
      .jpeg({ quality: JPEG_QUALITY, mozjpeg: false })
      .toBuffer();
  } catch {
    return undefined;
  }
};

/** The id of a photo's document. It is the same, however often the form is sent. */
const documentId = ({ nonce, issuedAt }: Stamp, slot: number): string =>
  uuidv7({ msecs: issuedAt, random: createHash('sha256').update(`${nonce}\n${slot}`).digest() });

/** A photo that was uploaded, ready to become a document. */
export interface LoadedPhoto extends SentPhoto {
  photo: BroughtPhoto;
  bytes: Uint8Array;
}

/** A photo that was drawn anew, as a document. */
export const broughtPhoto = (
  stamp: Stamp,
  slot: number,
  bytes: Uint8Array,
  { title, name }: { title: string; name: string },
): BroughtPhoto => ({
  id: documentId(stamp, slot),
  title,
  file_name: `${name}.jpg`,
  mime_type: JPEG,
  size_bytes: bytes.length,
});

/** The photos of a form, and the positions in the form's list of those that cannot be used. */
interface LoadedPhotos {
  photos: LoadedPhoto[];
  unusable: number[];
}

/** Loads the photos of a form, one after the other: a decoded photo needs much memory. */
export const loadPhotos = async (
  caller: Caller,
  stamp: Stamp,
  sent: readonly SentPhoto[],
  title: (n: number) => string,
): Promise<LoadedPhotos> => {
  const photos: LoadedPhoto[] = [];
  const unusable: number[] = [];
  for (const [position, each] of sent.entries()) {
    const file = await getObjectHead(caller, photoKey(caller, stamp.nonce, each.slot), MAX_PHOTO_BYTES + 1);
    const bytes = file && (await drawnAnew(file.bytes));
    if (!bytes) {
      unusable.push(position);
      continue;
    }
    const texts = { title: title(position + 1), name: `photo-${position + 1}` };
    photos.push({ ...each, photo: broughtPhoto(stamp, each.slot, bytes, texts), bytes });
  }
  return { photos, unusable };
};

/** The same, with the list of the photos that can be used, and whether the organization's storage has no room for them. */
export const loadForStorage = async (
  caller: Caller,
  stamp: Stamp,
  sent: readonly SentPhoto[],
  title: (n: number) => string,
): Promise<LoadedPhotos & { left: SentPhoto[]; isFull: boolean }> => {
  const [loaded, { used_bytes, max_bytes }] = await Promise.all([
    loadPhotos(caller, stamp, sent, title),
    storageUse(caller),
  ]);
  const bytes = loaded.photos.reduce((sum, { photo }) => sum + photo.size_bytes, 0);
  return {
    ...loaded,
    left: sent.filter((_, position) => !loaded.unusable.includes(position)),
    isFull: used_bytes + bytes > max_bytes,
  };
};

/** Stores the files of photos. @returns a function that deletes them again, for a form that is refused */
export const storePhotos = async (
  caller: Caller,
  photos: readonly LoadedPhoto[],
): Promise<() => Promise<void>> => {
  await Promise.all(
    photos.map(({ photo, bytes }) => putObject(caller, documentKey(caller, photo.id), bytes, JPEG)),
  );
  return async () => {
    await Promise.all(photos.map(({ photo }) => discardObject(caller, documentKey(caller, photo.id))));
  };
};

const keyOf = (caller: Caller, { nonce }: Stamp): string => pendingKey(caller, 'issue-forms', nonce);

/** Keeps what was entered while photos are added without a program: two days, as all that is pending. */
export const keepDraft = (caller: Caller, stamp: Stamp, sent: Sent): Promise<void> =>
  putObject(caller, keyOf(caller, stamp), Buffer.from(JSON.stringify(sent)), 'application/json');

/** What was entered; nothing when it was not kept, or is gone. */
export const readDraft = async (caller: Caller, stamp: Stamp): Promise<Sent> => {
  const bytes = await getObject(caller, keyOf(caller, stamp));
  return bytes ? (JSON.parse(Buffer.from(bytes).toString()) as Sent) : {};
};
