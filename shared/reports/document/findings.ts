import type { ReportCorrectiveAction, ReportFinding } from '../../schemas/reports/report-payload.ts';
import { ACTION_TONES, PRIORITY_TONES, SEVERITY_TONES, TONES } from '../presentation/theme.ts';
import type { Context } from './context.ts';
import type { ActionCard, ActionsBlock, Chip, Fact, FindingCard, Paragraph, Photo } from './document.ts';
import { inWords, linkTo, paragraphsOf, plain } from './spans.ts';
import { findingTitle, placeLink, questionOf, timeAndPerson } from './words.ts';

/** Texts under their headings, without those that are blank. */
const headed = (texts: readonly [heading: string, text: string][]): FindingCard['texts'] =>
  texts
    .map(([heading, text]) => ({ heading, paragraphs: paragraphsOf(text) }))
    .filter(({ paragraphs }) => paragraphs.length > 0);

const fact = (name: string, value: string): Fact[] => (value === '' ? [] : [{ name, value: [plain(value)] }]);

export const statusChip = (
  { texts }: Context,
  { status, is_overdue }: Pick<ReportCorrectiveAction, 'status' | 'is_overdue'>,
): Chip =>
  is_overdue
    ? { text: `${texts.actionStatuses[status]} · ${texts.overdue}`, tone: TONES.bad }
    : { text: texts.actionStatuses[status], tone: ACTION_TONES[status] };

const staged = (heading: string, photos: Photo[]) => (photos.length > 0 ? { heading, photos } : null);

const actionCard = (context: Context, action: ReportCorrectiveAction): ActionCard => {
  const { texts, formats, photos, payload } = context;
  const { id, number, title, priority, before, after } = action;
  const { completed_at, completed_by_name, verified_at, verified_by_name, verified_for } = action;
  const anchor = `action-${number}-${id.slice(-4)}`;
  const showsMedia = payload.layout.include.media;
  const shown = (media: typeof before) => (showsMedia ? photos.photosOf(media, anchor, title) : []);
  return {
    anchor,
    number: inWords(texts.numbered, { n: String(number) }),
    title,
    chips: [
      statusChip(context, action),
      { text: texts.priorities[priority], tone: PRIORITY_TONES[priority] },
    ],
    facts: [
      ...fact(texts.assignee, action.assignee_name ?? texts.unassigned),
      ...fact(texts.due, action.due_at ? formats.dateTime(action.due_at) : ''),
      ...fact(texts.completed, completed_at ? timeAndPerson(context, completed_at, completed_by_name) : ''),
      ...fact(
        texts.verified,
        verified_at ? timeAndPerson(context, verified_at, verified_by_name, verified_for) : '',
      ),
    ],
    texts: headed([
      [texts.description, action.description],
      [texts.completionNote, action.completion_note],
      [texts.verificationNote, action.verification_note],
    ]),
    before: staged(texts.before, shown(before)),
    after: staged(texts.after, shown(after)),
    files: showsMedia ? photos.filesOf([...before, ...after]) : [],
  };
};

export const severityChip = ({ texts }: Context, { severity }: Pick<ReportFinding, 'severity'>): Chip => ({
  text: texts.severities[severity],
  tone: SEVERITY_TONES[severity],
});

/** That a finding is resolved, or that what it was found by no longer fails; empty while it is open. */
export const mendedChips = (
  { texts }: Context,
  { status, trigger_cleared }: Pick<ReportFinding, 'status' | 'trigger_cleared'>,
): Chip[] => [
  ...(status === 'resolved' ? [{ text: texts.findingStatuses.resolved, tone: TONES.good }] : []),
  ...(trigger_cleared ? [{ text: texts.cleared, tone: TONES.good }] : []),
];

const findingCard = (context: Context, finding: ReportFinding): FindingCard => {
  const { texts, photos, payload } = context;
  const { position, number, status, origin, repeat, media } = finding;
  const anchor = `finding-${position}`;
  const showsMedia = payload.layout.include.media;
  return {
    anchor,
    number: String(position),
    reference: inWords(texts.numbered, { n: String(number) }),
    title: findingTitle(finding),
    chips: [
      severityChip(context, finding),
      ...(status === 'open' ? [{ text: texts.findingStatuses.open, tone: TONES.neutral }] : []),
      ...mendedChips(context, finding),
      ...(repeat ? [{ text: texts.repeated, tone: TONES.bad }] : []),
      ...(origin === 'issue' ? [{ text: texts.fromIssue, tone: TONES.neutral }] : []),
    ],
    place: placeLink(context, finding),
    texts: headed([
      [texts.description, finding.description],
      [texts.rootCause, finding.root_cause],
      [texts.recommendation, finding.recommendation],
    ]),
    photos: showsMedia ? photos.photosOf(media, anchor, questionOf(finding) || finding.label) : [],
    files: showsMedia ? photos.filesOf(media) : [],
    actions: finding.corrective_actions.map((action) => actionCard(context, action)),
  };
};

export const findingCards = (context: Context): FindingCard[] =>
  context.payload.findings.map((finding) => findingCard(context, finding));

/** All corrective actions, one in a row. */
export const actionRows = (context: Context): ActionsBlock['rows'] => {
  const { texts, formats, anchors, payload } = context;
  return payload.findings.flatMap((found) =>
    found.corrective_actions.map((action): ActionsBlock['rows'][number] => {
      const to = anchors.finding(found.position);
      const number = inWords(texts.finding, { n: String(found.position) });
      const finding: Paragraph = linkTo(to, `${number}: ${findingTitle(found)}`);
      return {
        number: String(action.number),
        title: linkTo(to && `action-${action.number}-${action.id.slice(-4)}`, action.title),
        finding,
        assignee: action.assignee_name ?? texts.unassigned,
        due: action.due_at ? formats.date(action.due_at) : '',
        status: statusChip(context, action),
      };
    }),
  );
};
