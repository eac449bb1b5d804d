import type { RequestScope } from '../../base/request.ts';
import { standingOf } from '../../organizations/suspension.ts';

/**
 * Deletes the files that a task has stored for an organization that was deleted meanwhile: the deletion
 * has not seen them. One read when it has stored any. When that read fails, the files stay.
 */
export const discardLateFiles = async ({ stored }: RequestScope): Promise<void> => {
  const [first] = stored;
  if (!first || (await standingOf(first.caller).catch(() => 'active')) !== 'deleted') return;
  await Promise.all(stored.map(({ discard }) => discard()));
};
