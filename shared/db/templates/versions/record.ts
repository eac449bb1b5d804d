import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { present, type Presented } from '../../../schemas/projection.ts';
import type { Content } from '../../../schemas/templates/content.ts';
import { Template, TemplateVersion } from '../../../schemas/templates/template.ts';
import { collection } from '../../table/collection.ts';
import type { StoredTemplate } from '../../table/entities.ts';
import { withoutKeys } from '../../table/rows.ts';
import { contentOf } from '../content.ts';

export const versionRecords = collection('TEMPLATE', 'template');

/** A version as it is sent to clients. */
export const toVersion = (stored: StoredTemplate): Presented<TemplateVersion> =>
  present(TemplateVersion, stored);

/** A version with its content as it is sent to clients. */
export const toTemplate = (stored: StoredTemplate, content: Content): Template =>
  present(Template, stored, { content });

/** @throws ApiError 409 naming the status */
export const expectDraft = ({ status, version_number }: StoredTemplate): void => {
  if (status !== 'draft') throw errors.notADraft(version_number, status);
};

/**
 * A version with its content.
 * @param check throws for a version in the wrong status, before the content is read
 * @throws ApiError 404; what `check` throws; Stale when the draft changed in between
 */
export const readVersion = async (
  caller: Caller,
  id: string,
  check: (version: StoredTemplate) => void = () => {},
): Promise<{ version: StoredTemplate; content: Content }> => {
  const version = withoutKeys(await versionRecords.get(caller, id));
  check(version);
  const { content } = await contentOf(caller, id, version.content_hash);
  return { version, content };
};
