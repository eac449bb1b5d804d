/** What the operations declare that save what somebody has answered. */
export const SAVES_ANSWERS = {
  emits: [
    'inspection.answers_saved',
    'finding.created',
    'finding.updated',
    'finding.deleted',
    'corrective_action.created',
  ],
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:PutItem', 'table:UpdateItem', 'table:DeleteItem'],
} as const;

/** The same for a single answer. */
export const SAVES_ONE_ANSWER = {
  ...SAVES_ANSWERS,
  // Three. One more for each of these: a template that is not in memory; references, a finding, or who is notified of
  // a new one; the number of a new finding; that of its corrective action; the names in their texts; a repeat section
  // that is not the field's own and is named by its index only.
  calls: 9,
} as const;
