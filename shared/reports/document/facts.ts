import type { ReportPosition } from '../../schemas/reports/report-answer.ts';

/** What is known of an image that can be shown. */
export interface PhotoFacts {
  /** Pixels, upright. */
  width: number;
  height: number;
  /** The time on the camera's clock, as its file says; null where it does not. */
  takenAt: { date: string; time: string } | null;
  /** Where it was taken, as its file says. */
  position: ReportPosition | null;
}

/** What a document knows beside its payload. */
export interface DocumentFacts {
  /** The images that can be shown, by document id or storage key. */
  images: ReadonlyMap<string, PhotoFacts>;
  /** The SHA-256 of the payload in hexadecimal; null in a preview. */
  hash: string | null;
  /** The address of a file in a preview; null where there is none. */
  hrefOf?: (documentId: string) => string | null;
  /** The files that are attached to the report itself, by document id. */
  attached?: ReadonlySet<string>;
}
