import type { Formats } from '../presentation/format.ts';
import type { ReportPayload } from '../presentation/former-payload.ts';
import type { EmbeddedImage } from '../presentation/images.ts';
import type { NumberedSection } from '../presentation/sections.ts';

/** Everything that the parts of a page are made from. */
export interface Page {
  payload: ReportPayload;
  formats: Formats;
  sections: NumberedSection[];
  /** The images that could be opened, by document id or storage key. */
  images: ReadonlyMap<string, EmbeddedImage>;
  /** The number of each photo that the page shows, by document id. */
  photoNumbers: ReadonlyMap<string, number>;
}
