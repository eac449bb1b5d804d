import * as z from 'zod';
import {
  Count,
  listQuery,
  Name,
  resourceFields,
  SearchText,
  Tag,
  Tags,
  Timestamp,
  UNNOTICED,
  Uuid,
  VisibleText,
} from './common.ts';
import { SignedUrl } from './contact.ts';

const texts = {
  title: Name,
  description: VisibleText.max(10_000).default(''),
  category: VisibleText.max(100).default(''),
};

export const Document = z
  .strictObject({
    ...resourceFields,
    title: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    category: z.string(),
    file_name: z.string(),
    mime_type: z
      .string()
      .meta({ description: 'Detected from the bytes of the file, whatever the client sent.' }),
    size_bytes: z.int().min(1),
    uploaded_by: Uuid.nullable().meta({
      description: 'Who uploaded it, by `user_id`; null for a visitor of a public link.',
    }),
    uploaded_by_name: z.string(),
    used_by_count: Count.meta({
      description: `How many answers, findings and other resources use the document. ${UNNOTICED}`,
    }),
  })
  .meta({ id: 'Document', description: 'A file that serves as evidence or for reference.' });
export type Document = z.output<typeof Document>;

export const DownloadableDocument = z
  .strictObject({
    ...Document.shape,
    download_url: SignedUrl,
  })
  .meta({ id: 'DownloadableDocument' });
export type DownloadableDocument = z.output<typeof DownloadableDocument>;

export const NewDocument = z
  .strictObject({ ...texts, tags: Tags.default([]) })
  .meta({ id: 'NewDocument', description: 'The metadata of a file.' });
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

/** The fields of `NewDocument` as text fields of a form. */
export const NewDocumentForm = z.strictObject({
  ...texts,
  tags: z
    .preprocess(asList, Tags)
    .default([])
    .meta({ description: 'Repeat the field, or send it once as a JSON array.' }),
});

export const DocumentQuery = listQuery({
  q: SearchText.optional().meta({ description: 'A part of the title or the file name; case is ignored.' }),
  category: VisibleText.max(100).optional(),
  tag: z
    .array(Tag)
    .optional()
    .meta({ description: 'Any of these tags; case is ignored. The parameter can be repeated.' }),
});
export type DocumentQuery = z.output<typeof DocumentQuery>;

/** Bytes of a file that is uploaded by a signed URL. */
const MAX_UPLOAD = 100 * 1024 * 1024;

export const NewUpload = z
  .strictObject({
    file_name: VisibleText.min(1)
      .max(255)
      // oxlint-disable-next-line no-control-regex -- a file name has no path and no control characters
      .regex(/^[^/\\\u0000-\u001f\u007f]*$/u),
    size_bytes: z.int().min(1).max(MAX_UPLOAD),
    mime_type: z
      .string()
      .max(255)
      .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/)
      .meta({
        description:
          'The content type to send with the file. The document’s own `mime_type` is detected from the bytes.',
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
      .meta({ description: 'Send exactly these headers with the PUT.' }),
    expires_at: Timestamp,
  })
  .meta({ id: 'Upload', description: 'Where to PUT a file that will become a document.' });
export type Upload = z.output<typeof Upload>;
