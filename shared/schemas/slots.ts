/**
 * How much an organization may have waiting or running of each kind, unless the operator of the service has set another
 * number for it, and what that is called.
 */
export const SLOTS = {
  /** Until they are rendered, if a request has asked for them. */
  RENDER: { most: 100, noun: 'reports' },
  /** Of single reports, until their files are made. */
  EXPORT: { most: 50, noun: 'exports' },
  BULK_EXPORT: { most: 5, noun: 'bulk exports' },
  /** While they are planned or carried out. */
  BULK_CHANGE: { most: 5, noun: 'bulk changes' },
  /** Until they are sent, or wait for another day. */
  MAIL: { most: 100, noun: 'mails of reports' },
  /** Whether a request or a schedule has started them. */
  SYNC: { most: 10, noun: 'syncs' },
  /** Endpoints that are sent to at the same time. No request is refused: the others stay due. */
  WEBHOOK: { most: 50, noun: 'webhooks' },
  /** Forms that are read at the same time. */
  IMPORT: { most: 5, noun: 'imports of forms' },
} as const;
export type SlotKind = keyof typeof SLOTS;

/** Says in the description of an operation when it finds no slot. */
export const refusedBeyond = (kind: SlotKind): string => {
  const { most, noun } = SLOTS[kind];
  return `\`429\` with the code \`too_many_waiting\` while ${most} ${noun} of the organization wait or run, unless the operator of the service has set another number.`;
};
