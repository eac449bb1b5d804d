/** What the operations declare that take back what a correction has changed. */
export const TAKES_BACK = {
  emits: ['inspection.updated', 'inspection.answers_saved', 'finding.deleted'],
  grants: [
    'table:GetItem',
    'table:BatchGetItem',
    'table:Query',
    'table:PutItem',
    'table:UpdateItem',
    'table:DeleteItem',
    'table:ConditionCheckItem',
  ],
  calls: 26,
} as const;
