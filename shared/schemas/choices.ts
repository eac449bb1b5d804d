import * as z from 'zod';

// Apart from the content of templates: most functions need these, and not the schemas of a content.

/** How urgent a corrective action is. */
export const Priority = z.enum(['low', 'medium', 'high', 'critical']);

/** How bad a finding is: from the least severe to the most severe. */
export const Severity = z.enum(['observation', 'minor', 'major', 'critical']);
export type Severity = z.output<typeof Severity>;

/** What a participant of an inspection does in it. */
export const ParticipantRole = z.enum(['inspector', 'lead', 'approver', 'signatory']);

export const CorrectionMode = z.enum(['locked', 'tracked', 'reapprove']).meta({
  description:
    'Whether a completed inspection may be corrected: not at all (`locked`), with every change kept as a revision (`tracked`), or so that each correction has to be approved as well (`reapprove`, only together with `requires_approval`: `422`).',
});
export type CorrectionMode = z.output<typeof CorrectionMode>;
