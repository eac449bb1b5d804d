import type { StoredAnswer, StoredAttachment, StoredFinding, StoredReport } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import type { Facts, Resource } from '../table/resource.ts';
import { reportBytes } from './report-files.ts';

/*
 * What follows from the rows below an inspection. Corrective actions have a page of their own.
 */

export const answers: Facts<StoredAnswer> = { documents: { in: (answer) => answer, field: 'value' } };

export const findings: Resource<StoredFinding> = {
  noun: 'finding',
  keyOf: (caller, { inspection_id, id }) => keys.child(caller, inspection_id, 'FINDING', id),
  documents: { in: ({ content }) => content, field: 'content.media' },
  followers: [
    {
      row: keys.reference,
      what: 'finding by its own id',
      within: ['FINDING'],
      at: ({ id }) => [['FINDING', id]],
      holds: (_, { inspection_id }) => ({ inspection_id }),
    },
  ],
};

export const attachments: Facts<StoredAttachment> = {
  documents: { in: ({ document_id }) => ({ document_id }), field: 'document_id' },
};

export const reports: Resource<StoredReport> = {
  noun: 'report',
  keyOf: (caller, { inspection_id, id }) => keys.child(caller, inspection_id, 'REPORT', id),
  bytes: reportBytes,
  followers: [
    {
      row: keys.reference,
      what: 'report by its own id',
      within: ['REPORT'],
      at: ({ id }) => [['REPORT', id]],
      holds: (_, { inspection_id }) => ({ inspection_id }),
    },
  ],
};
