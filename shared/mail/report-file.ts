import type { Caller } from '../base/caller.ts';
import type { StoredReport } from '../db/table/entities.ts';
import { EMAILED_FILES, type EmailFormat } from '../schemas/reports/report-email.ts';
import { getObject, objectKey } from '../storage/objects.ts';
import type { Attachment } from './compose.ts';

/** A name for a file that everybody's system takes. */
const safeName = (name: string): string =>
  name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[. ]+|[. ]+$/g, '')
    .slice(0, 80)
    .toWellFormed();

/**
 * A report's file in a format, as an attachment.
 * @param name of the inspection
 * @throws Error when a ready report has no such file, which a later attempt may find
 */
export const reportFile = async (
  caller: Caller,
  { id, version }: Pick<StoredReport, 'id' | 'version'>,
  format: EmailFormat,
  name: string,
): Promise<Attachment> => {
  const { object, mediaType: contentType } = EMAILED_FILES[format];
  const content = await getObject(caller, objectKey(caller, 'reports', id, object));
  if (!content) throw new Error(`the report ${id} has no file ${object}`);
  return { filename: `${safeName(name) || 'report'} v${version}.${format}`, contentType, content };
};
