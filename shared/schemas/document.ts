import * as z from 'zod';
import { listQuery, Name, resourceFields, Tag, Tags, Timestamp, Uuid } from './common.ts';

const texts = {
  title: Name,
  description: z.string().trim().max(10_000).default(''),
  category: z.string().trim().max(100).default(''),
};

export const Document = z
  .strictObject({
    ...resourceFields,
    title: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    category: z.string(),
    file_name: z.string(),
    mime_type: z.string().meta({ description: 'By the bytes of the file, not by what its sender says.' }),
    size_bytes: z.int().min(1),
    uploaded_by: Uuid,
    uploaded_by_name: z.string(),
    used_by_count: z
      .int()
      .min(0)
      .meta({ description: 'How many answers, findings and the like refer to it.' }),
  })
  .meta({ id: 'Document', description: 'A file, as evidence or for reference.' });
export type Document = z.output<typeof Document>;

export const DownloadableDocument = z
  .strictObject({
    ...Document.shape,
    download_url: z.url().meta({ description: 'Signed, valid for 15 minutes, made anew on each read.' }),
  })
  .meta({ id: 'DownloadableDocument' });
export type DownloadableDocument = z.output<typeof DownloadableDocument>;

export const NewDocument = z
  .strictObject({ ...texts, tags: Tags.default([]) })
  .meta({ id: 'NewDocument', description: 'What is said about a file.' });
export type NewDocument = z.output<typeof NewDocument>;

const asList = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  if (!value.startsWith('[')) return [value];
  try {
    return JSON.parse(value);
  } catch {
    return [value];
  }
};

/** The same as the text fields of a form. */
export const NewDocumentForm = z.strictObject({
  ...texts,
  tags: z
    .preprocess(asList, Tags)
    .default([])
    .meta({ description: 'The field repeated, or once as a JSON array.' }),
});

export const DocumentQuery = listQuery({
  q: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Part of the title or file name, in any case.' }),
  category: z.string().trim().max(100).optional(),
  tag: z.array(Tag).optional().meta({ description: 'Any of these, in any case.' }),
});
export type DocumentQuery = z.output<typeof DocumentQuery>;

/** The largest file that a presigned upload takes, in bytes. */
export const LARGEST_UPLOAD = 100 * 1024 * 1024;

export const NewUpload = z
  .strictObject({
    file_name: z
      .string()
      .trim()
      .min(1)
      .max(255)
      // oxlint-disable-next-line no-control-regex -- neither a path nor control characters are part of a name
      .regex(/^[^/\\\u0000-\u001f\u007f]*$/u),
    size_bytes: z.int().min(1).max(LARGEST_UPLOAD),
    mime_type: z
      .string()
      .max(255)
      .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/)
      .meta({
        description: 'Sent with the file; the document gets its own from the bytes.',
        examples: ['video/mp4'],
      }),
  })
  .meta({ id: 'NewUpload' });
export type NewUpload = z.output<typeof NewUpload>;

export const Upload = z
  .strictObject({
    upload_id: Uuid,
    url: z.url(),
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'To be sent with the PUT exactly as they are.' }),
    expires_at: Timestamp,
  })
  .meta({ id: 'Upload', description: 'Where to PUT a file that is to become a document.' });
export type Upload = z.output<typeof Upload>;
