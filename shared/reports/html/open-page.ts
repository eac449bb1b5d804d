import { formatsOf } from '../presentation/format.ts';
import type { ReportPayload } from '../presentation/former-payload.ts';
import { type ImageSource, openImages } from '../presentation/images.ts';
import { numberedSections } from '../presentation/sections.ts';
import type { Page } from './page.ts';
import { photoNumbers } from './photos.ts';

/** Prepares a payload for the page, and opens its images. Returns a warning for each image that cannot be shown. */
export const openPage = async (
  payload: ReportPayload,
  source: ImageSource,
): Promise<{ page: Page; warnings: string[] }> => {
  const formats = formatsOf(payload.organization);
  const sections = numberedSections(payload.sections, payload.layout.include);
  const { images, warnings } = await openImages(payload, sections, source);
  const opened = { payload, formats, sections, images };
  return { page: { ...opened, photoNumbers: photoNumbers(opened) }, warnings };
};
