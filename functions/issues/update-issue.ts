import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as issues from '../../shared/issues/issues.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { Issue, IssueChanges } from '../../shared/schemas/issues/issue.ts';

export const operation = defineOperation({
  id: 'updateIssue',
  method: 'PATCH',
  path: '/issues/{issue_id}',
  summary: 'Triage an issue',
  description: `${PATCH_DESCRIPTION} \`answers\` and \`media\` are replaced as a whole.

\`status\` moves from new to triaged to in_progress to resolved to closed; from new or triaged to rejected or duplicate; and from resolved or closed back to in_progress, which needs a \`note\`. Refused with \`409\` for a status that the current one does not lead to. A duplicate needs \`duplicate_of_id\`, the id of an issue that is not itself a duplicate. Every move and edit is an entry of the activity; a \`note\` without a move is a comment.`,
  access: 'write',
  params: z.strictObject({ issue_id: Uuid }),
  body: IssueChanges,
  success: 200,
  response: Issue,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  issues.update(caller, params.issue_id, body, expectedVersion),
);
