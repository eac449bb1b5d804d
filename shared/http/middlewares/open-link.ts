import { visitorOf } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { followLink, isToken } from '../../db/links/links.ts';
import { countVisit, isBeyondLimits } from '../../db/links/visits.ts';
import type { PublicOperation } from '../operation/operation.ts';
import type { Middleware } from './chain.ts';

/**
 * Counts the visit and follows the link: 429, then 404. A link that was never made, one that has ended and one for
 * something else look the same, and so do their limits. From here on, the caller is one of the link's organization.
 */
export const openLink = ({ id, link: purpose, visits }: PublicOperation): Middleware => ({
  before: async ({ event, internal }) => {
    const token = event.pathParameters?.['token'] ?? '';
    // It costs nothing to refuse what no link can be.
    if (!isToken(token)) throw errors.notFound('link');
    const { sourceIp } = event.requestContext.identity;
    const visit = { token, address: sourceIp };
    const now = Date.now();
    if (isBeyondLimits(id, visit, visits, now)) throw errors.tooManyVisits();
    const [isAllowed, link] = await Promise.allSettled([
      countVisit(id, visit, visits, now),
      followLink(token, purpose),
    ]);
    if (isAllowed.status === 'rejected') throw isAllowed.reason;
    if (!isAllowed.value) throw errors.tooManyVisits();
    if (link.status === 'rejected') throw link.reason;
    const { org_id, target } = link.value;
    internal.visit = { token, target, caller: visitorOf(org_id) };
  },
});
