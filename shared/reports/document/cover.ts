import type { ReportInspection } from '../../schemas/reports/report-payload.ts';
import type { Context } from './context.ts';
import type { Cover, Fact, Masthead, Paragraph, Running, Closing } from './document.ts';
import { mapAddress, inWords, plain } from './spans.ts';
import { verdictChip } from './summary.ts';
import { addressWords } from './words.ts';

/** The date of the inspection: of its last step, or the scheduled one before the first step. */
export const dateOf = (inspection: ReportInspection): string | null =>
  inspection.completed_at ?? inspection.submitted_at ?? inspection.started_at ?? inspection.scheduled_for;

const locationOf = (context: Context): Paragraph[] => {
  const { texts, payload } = context;
  const { location } = payload.inspection;
  if (!location) return [];
  return [
    plain(location.name ?? texts.deleted),
    ...(location.address ? [plain(addressWords(context, location.address))] : []),
    ...(location.position ? [[{ text: texts.map, href: mapAddress(location.position) }]] : []),
  ].filter((paragraph) => paragraph.length > 0);
};

type Said = readonly [name: string, value: string | Paragraph[]];

/** What was inspected, where, when and by whom; what is not known is left out. */
const factsOf = (context: Context): Fact[] => {
  const { texts, formats, payload } = context;
  const { inspection, organization } = payload;
  const { client, template, participants, status, started_at, completed_at, due_at } = inspection;
  const people = (...roles: string[]): string => {
    const names = participants.filter(({ role }) => roles.includes(role)).map(({ name }) => name);
    return names.length === 0 ? '' : formats.list(names);
  };
  const time = (at: string | null) => (at ? formats.dateTime(at) : '');
  const date = dateOf(inspection);
  const version = { name: template.name, version: String(template.version_number) };
  // In the order of the cover. The title and the number stand above the facts.
  const facts = {
    id: [],
    number: [],
    name: [],
    client: [[texts.client, client ? (client.name ?? texts.deleted) : '']],
    location: [[texts.location, locationOf(context)]],
    scheduled_for: [[texts.date, date ? formats.date(date) : '']],
    participants: [
      [texts.inspectedBy, people('lead', 'inspector')],
      [texts.approvedBy, inspection.approved_at ? people('approver') : ''],
    ],
    approved_at: [],
    status: [[texts.status, texts.statuses[status]]],
    started_at: [[texts.started, time(started_at)]],
    submitted_at: [],
    signed_off_at: [],
    completed_at: [[texts.completed, time(completed_at)]],
    due_at: [[texts.due, completed_at ? '' : time(due_at)]],
    template: [[texts.template, inWords(texts.templateVersion, version)]],
  } satisfies Record<keyof ReportInspection, Said[]>;
  return [...Object.values<Said[]>(facts).flat(), [texts.preparedBy, organization.name] as const]
    .map(([name, value]) => ({ name, value: typeof value === 'string' ? [plain(value)] : value }))
    .filter(({ value }) => value.some((paragraph) => paragraph.length > 0));
};

const numberOf = ({ payload, texts }: Context): string =>
  inWords(texts.numbered, { n: String(payload.inspection.number) });

export const mastheadOf = (context: Context): Masthead => {
  const { payload, texts } = context;
  return {
    kind: texts.kind,
    title: payload.report.title,
    number: numberOf(context),
    logo: payload.layout.theme.logo ?? payload.organization.logo,
    organization: payload.organization.name,
    facts: factsOf(context),
  };
};

export const coverOf = (context: Context): Cover | null =>
  context.payload.layout.cover ? { ...mastheadOf(context), verdict: verdictChip(context) } : null;

export const runningOf = (context: Context): Running => {
  const { payload, texts, formats } = context;
  const { report, organization } = payload;
  return {
    head: { start: `${numberOf(context)} · ${report.title}`, end: organization.name },
    foot: inWords(texts.generated, {
      when: formats.dateTime(report.generated_at),
      version: String(report.version),
    }),
    pageOf: texts.pageOf,
    page: texts.page,
  };
};

/** The text of the QR code: the report's URN with the hash of its payload (RFC 8141, section 2.3.2). */
const qrText = (reportId: string, hash: string): string => `urn:uuid:${reportId}?=sha256=${hash}`;

/** How a reader verifies the report. A preview is not stored, so there is nothing to compare it with. */
export const closingOf = ({ payload, facts, texts }: Context): Closing => {
  const { id } = payload.report;
  const { hash } = facts;
  const isStored = id !== null && hash !== null;
  return {
    heading: texts.verification,
    sentence: isStored ? texts.verify : texts.preview,
    hashName: 'SHA-256',
    hash: isStored ? hash : null,
    qr: isStored ? qrText(id, hash) : null,
  };
};
