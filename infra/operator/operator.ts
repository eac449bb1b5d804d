import type { Caller } from '../../shared/base/caller.ts';
import * as errors from '../../shared/base/errors.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow } from '../../shared/table/rows.ts';

/** The platform team as a caller in an organization. @throws ApiError 404 when the organization does not exist */
export const operatorOf = async (org: string): Promise<Caller> => {
  const caller: Caller = { org_id: org, user_id: 'operator', name: 'operator' };
  if (!(await getRow(caller, keys.organization(caller)))) throw errors.notFound('organization');
  return caller;
};
