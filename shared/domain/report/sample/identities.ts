import type { ReportLocation } from '../../../schemas/reports/report-payload.ts';
import { MAX_MEDIA } from '../../content/limits.ts';
import type { MediaItem } from '../../content/values/answer.ts';
import type { ReportedFile } from '../material.ts';

const KINDS = [
  'inspection',
  'client',
  'location',
  'person',
  'document',
  'finding',
  'source',
  'action',
] as const;

/** The id of a sample: a UUIDv7 of 1 January 1970, which nothing real can have. */
export const idOf = (kind: (typeof KINDS)[number], n = 0): string =>
  `00000000-0000-7000-8${String(KINDS.indexOf(kind)).padStart(3, '0')}-${String(n).padStart(12, '0')}`;

/** The day of the sample inspection. */
export const DAY = '2026-03-02';

/** A time of the inspection, in minutes after its start. */
export const at = (minute: number): string =>
  new Date(Date.parse(`${DAY}T09:00:00Z`) + minute * 60_000).toISOString();

/** When the inspection is completed, in minutes after its start. */
export const COMPLETED = 180;

/** By their numbers in ids. */
export const PEOPLE = ['Alex Sample', 'Robin Sample', 'Kim Sample'] as const;
export const [INSPECTOR, LEAD, APPROVER] = [0, 1, 2] as const;

export const CLIENT = { id: idOf('client'), name: 'Sample client' };
export const LOCATION: ReportLocation = {
  id: idOf('location'),
  name: 'Sample site',
  address: {
    lines: ['12 Harbour Street', '1234 Sampleton'],
    city: '',
    region: '',
    postal_code: '',
    country: '',
  },
  position: { lat: 51.48, lng: 0, accuracy_m: null },
};

const FILES = {
  photo: { file_name: 'photo.jpg', mime_type: 'image/jpeg', size_bytes: 240_000 },
  drawing: { file_name: 'drawing.png', mime_type: 'image/png', size_bytes: 60_000 },
  signature: { file_name: 'signature.png', mime_type: 'image/png', size_bytes: 12_000 },
  video: { file_name: 'video.mp4', mime_type: 'video/mp4', size_bytes: 4_200_000 },
  audio: { file_name: 'recording.m4a', mime_type: 'audio/mp4', size_bytes: 800_000 },
  file: { file_name: 'document.pdf', mime_type: 'application/pdf', size_bytes: 320_000 },
} as const;
export type FileKind = keyof typeof FILES;
const FILE_KINDS = Object.keys(FILES) as FileKind[];

/** The id of a document. Each kind has as many documents as one answer can have. */
export const documentId = (kind: FileKind, n = 0): string =>
  idOf('document', FILE_KINDS.indexOf(kind) * MAX_MEDIA + n);

/** The files of all sample documents, by their ids. */
export const sampleDocuments = (): Map<string, ReportedFile> =>
  new Map(
    FILE_KINDS.flatMap((kind) =>
      Array.from({ length: MAX_MEDIA }, (_, n) => [documentId(kind, n), FILES[kind]] as const),
    ),
  );

/** The kind of file that a sample document is; undefined for any other document. */
export const sampleFileKind = (documentId: string): FileKind | undefined =>
  documentId.startsWith(idOf('document').slice(0, -12))
    ? FILE_KINDS[Math.floor(Number(documentId.slice(-12)) / MAX_MEDIA)]
    : undefined;

/** Media for one answer or finding. */
export const mediaOf = (kind: FileKind, count: number): MediaItem[] =>
  Array.from({ length: count }, (_, n) => ({
    document_id: documentId(kind, n),
    caption: ['Overview', 'Detail'][n] ?? '',
  }));
