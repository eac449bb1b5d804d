import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as actions from '../../shared/inspections/corrective-actions/lists.ts';
import * as inspections from '../../shared/inspections/lists.ts';
import * as connections from '../../shared/integrations/rows/connections.ts';
import * as issues from '../../shared/issues/issues.ts';
import { countWaiting } from '../../shared/notices/waiting-mails.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import * as schedules from '../../shared/schedules/lists.ts';
import { MAX_COUNTED } from '../../shared/schemas/home-limits.ts';
import { Home, MAX_SHOWN } from '../../shared/schemas/home.ts';
import { storageUse } from '../../shared/table/stored-bytes.ts';
import * as webhooks from '../../shared/webhooks/webhooks.ts';

export const operation = defineOperation({
  id: 'getHome',
  method: 'GET',
  surface: 'app',
  path: '/home',
  summary: 'Get what an admin sees first',
  description: `Five numbers, and what needs attention. Counting ends at ${MAX_COUNTED}, so the duration does not depend on the size of the organization.`,
  access: 'read',
  roles: ['admin'],
  success: 200,
  response: Home,
});

const counted = async <Resource>(resources: AsyncIterable<Resource>) => {
  const all = await Array.fromAsync(resources);
  return { count: all.length, first: all.slice(0, MAX_SHOWN) };
};

export const handler = createHandler(operation, async ({ caller }) => {
  const [organization, storage, waiting, inspected, lateActions, lateIssues, endpoints, broken, incomplete] =
    await Promise.all([
      organizations.get(caller),
      storageUse(caller),
      countWaiting(caller, MAX_COUNTED),
      inspections.countAll(caller, MAX_COUNTED),
      actions.countOverdue(caller, MAX_COUNTED),
      issues.countOverdue(caller, MAX_COUNTED),
      counted(webhooks.failing(caller)),
      counted(connections.failing(caller)),
      schedules.incomplete(caller, { most: MAX_COUNTED, limit: MAX_SHOWN }),
    ]);
  return {
    numbers: {
      inspections_in_progress: inspected.in_progress,
      inspections_pending_approval: inspected.pending_approval,
      inspections_overdue: inspected.overdue,
      corrective_actions_overdue: lateActions,
      issues_overdue: lateIssues,
    },
    attention: {
      webhooks: endpoints,
      connections: broken,
      schedules: incomplete,
      mails: { waiting, paused: organization.mails_paused ?? null },
      storage,
    },
  };
});
