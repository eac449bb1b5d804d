import type { ReportMedia, ReportPayload } from './former-payload.ts';
import { fieldsOf, type NumberedSection } from './sections.ts';

const PLACEHOLDERS: Record<string, string> = {
  image: 'Image cannot be shown',
  video: 'Video',
  audio: 'Audio',
};

/** The text in the place of a file that is not an image, or of an image that could not be opened. */
export const placeholderOf = ({ mime_type }: ReportMedia): string =>
  PLACEHOLDERS[mime_type.split('/')[0] ?? ''] ?? 'File';

/**
 * The images of the findings and then of the answers, each once, by document id. Empty where the layout excludes
 * media.
 */
export const photosOf = (payload: ReportPayload, sections: NumberedSection[]): Map<string, ReportMedia> => {
  const media = [
    ...payload.findings.flatMap((finding) => finding.media),
    ...sections.flatMap(fieldsOf).flatMap((field) => field.media),
  ];
  return new Map(
    payload.layout.include.media
      ? media.filter((item) => item.mime_type.startsWith('image/')).map((item) => [item.document_id, item])
      : [],
  );
};
