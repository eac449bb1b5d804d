import type { Finding } from '../../schemas/finding.ts';
import type { ReportInspection } from '../../schemas/reports/report-payload.ts';
import type { Field } from '../../schemas/templates/content.ts';
import { evaluate, type FieldInstance } from '../content/conditions.ts';
import {
  type ContentIndex,
  isAnswerable,
  isChoice,
  isMedia,
  limitsOf,
  optionsOf,
  type Question,
} from '../content/content-index.ts';
import { fieldInstances, type Instances } from '../content/instances.ts';
import { patternFault } from '../content/publish/publish.ts';
import type { StartAnswers } from '../content/start.ts';
import { checkAnswer, checkMedia, isAnswered, isFailed, type MediaItem } from '../content/values.ts';
import type { ReportedAction, ReportedAnswer, ReportSources } from './build.ts';

/** Repeats have two instances each, unless that makes more answers than this. */
const MOST_ANSWERS = 10_000;

/** Documents of one kind in one answer, the most that a field can ask for (`MediaRule`). */
const MOST_MEDIA = 50;

const KINDS = [
  'inspection',
  'client',
  'location',
  'person',
  'document',
  'finding',
  'source',
  'action',
] as const;

/** The ids of samples are UUIDv7 of 1 January 1970, which nothing real can have. */
const idOf = (kind: (typeof KINDS)[number], n = 0): string =>
  `00000000-0000-7000-8${String(KINDS.indexOf(kind)).padStart(3, '0')}-${String(n).padStart(12, '0')}`;

const DAY = '2026-03-02';
const at = (minute: number): string =>
  new Date(Date.parse(`${DAY}T09:00:00Z`) + minute * 60_000).toISOString();
const COMPLETED = 180;

const PEOPLE = ['Alex Sample', 'Robin Sample', 'Kim Sample'] as const;
const [INSPECTOR, LEAD, APPROVER] = [0, 1, 2];
const CLIENT = { id: idOf('client'), name: 'Sample client' };
const LOCATION = { id: idOf('location'), name: 'Sample site', address: '12 Harbour Street\n1234 Sampleton' };

const FILES = {
  photo: { file_name: 'photo.jpg', mime_type: 'image/jpeg' },
  drawing: { file_name: 'drawing.png', mime_type: 'image/png' },
  signature: { file_name: 'signature.png', mime_type: 'image/png' },
  video: { file_name: 'video.mp4', mime_type: 'video/mp4' },
  audio: { file_name: 'recording.m4a', mime_type: 'audio/mp4' },
  file: { file_name: 'document.pdf', mime_type: 'application/pdf' },
} as const;
type FileKind = keyof typeof FILES;
const FILE_KINDS = Object.keys(FILES) as FileKind[];

const documentId = (kind: FileKind, n = 0): string =>
  idOf('document', FILE_KINDS.indexOf(kind) * MOST_MEDIA + n);

/** What the document of a sample is; undefined for any other. */
export const sampleFileKind = (documentId: string): FileKind | undefined =>
  documentId.startsWith(idOf('document').slice(0, -12))
    ? FILE_KINDS[Math.floor(Number(documentId.slice(-12)) / MOST_MEDIA)]
    : undefined;

const TEXTS = [
  'Checked together with the site manager',
  'Building B, second floor',
  'As agreed at the last visit',
  'Sample',
];
const LONG_TEXT =
  'Walked through the whole site together with the manager. All areas were accessible.\n\n' +
  'Two items were corrected on the spot; what remains open is listed among the findings.';
/** What patterns commonly ask for, apart by spaces. */
const PATTERNED =
  'A-1024 ABC-123 AB12 A1 A 1024 12345 123456 12345678 1 1.5 2026 2026-03-02 09:30 sample ' +
  'sample@example.com https://example.com +442079460958';
const FAILED_NOTE = 'Not as it should be: to be put right before the next visit.';
const NOTE = 'Seen on site, nothing to add.';

const VARIED = new Set<string>(['text', 'number', 'slider', 'rating', 'temperature', 'yes_no', 'member']);

const numbers = (field: Question): number[] => {
  const { min, max, step } = limitsOf(field);
  const by = step ?? 1;
  const lowest = min ?? (max === null ? 0 : Math.min(0, Math.floor(max / by - 20) * by));
  const span = (max ?? lowest + 20 * by) - lowest;
  const steps = [0.6, 0.4, 0.8, 0, 1].map((share) => lowest + Math.round((share * span) / by) * by);
  // Within bounds closer than its step, and without one, a number lies between them.
  return [...steps, lowest + span / 2].map((value) => Number(value.toPrecision(12)));
};

const mediaOf = (kind: FileKind, count: number): MediaItem[] =>
  Array.from({ length: count }, (_, n) => ({
    document_id: documentId(kind, n),
    caption: ['Overview', 'Detail'][n] ?? '',
  }));

/** What might answer a question, the likeliest first; some of it is refused by the question's limits. */
const candidates = (field: Question, index: ContentIndex): unknown[] => {
  switch (field.type) {
    case 'text':
    case 'long_text': {
      const texts = field.type === 'text' ? TEXTS : [LONG_TEXT, ...TEXTS];
      const fitting = texts.filter(({ length }) => length <= (field.max_length ?? length));
      return field.pattern === null ? [...fitting, 'A'] : [...PATTERNED.split(' '), ...texts];
    }
    case 'barcode':
      return field.pattern === null ? ['0012345678905', '1'] : ['0012345678905', ...PATTERNED.split(' ')];
    case 'number':
    case 'slider':
    case 'rating':
    case 'temperature':
      return numbers(field);
    case 'yes_no':
    case 'checkbox':
      return [true, false];
    case 'yes_no_na':
    case 'pass_fail_na':
    case 'single_select':
      return optionsOf(index, field).map(({ value }) => value);
    case 'multi_select': {
      const options = optionsOf(index, field);
      const fine = options.filter(({ is_failed, is_na }) => !is_failed && !is_na);
      const pairs = fine.slice(1).map((option, i) => [fine[i]!.value, option.value]);
      return [...pairs, ...options.map(({ value }) => [value])];
    }
    case 'date':
      return [DAY, '2025-11-17', '2027-06-30'];
    case 'time':
      return ['09:30', '14:15', '23:00'];
    case 'datetime':
      return [at(30), at(-150_000), at(500_000)];
    case 'photo':
    case 'drawing':
    case 'video':
    case 'audio':
    case 'file': {
      const rule = 'media' in field ? field.media : null;
      const usual = field.type === 'photo' ? 2 : 1;
      return [mediaOf(field.type, Math.min(rule?.max ?? MOST_MEDIA, Math.max(rule?.min ?? 0, usual)))];
    }
    case 'signature': {
      const signed = { signed_name: PEOPLE[INSPECTOR], signed_at: at(COMPLETED - 5) };
      return [
        { ...signed, document_id: documentId('signature') },
        { ...signed, typed: PEOPLE[INSPECTOR] },
      ];
    }
    case 'geo_point':
      return [{ lat: 51.48, lng: 0, accuracy_m: 8 }];
    case 'address':
      return [{ line1: '12 Harbour Street', postal_code: '1234', city: 'Sampleton' }];
    case 'member':
      return PEOPLE.map((_, n) => idOf('person', n));
    case 'client_account':
      return [CLIENT.id];
    case 'location':
      return [LOCATION.id];
    case 'reference':
      return [{ source_id: idOf('source'), external_id: 'A-1024', label: 'Sample entry' }];
    case 'calculated':
    case 'instruction':
      return [];
  }
};

/** What a field's `fail_if` compares with, and what lies around it. */
const nearRule = (field: Question): unknown[] => {
  const rule = 'fail_if' in field ? field.fail_if : null;
  const by = field.step ?? 1;
  return [rule?.value ?? []]
    .flat()
    .flatMap((bound): unknown[] => (typeof bound === 'number' ? [bound - by, bound, bound + by] : [bound]))
    .map((value) => (field.type === 'multi_select' ? [value] : value));
};

type Checked = Pick<ReportedAnswer, 'value' | 'is_na'>;

/** Answers that a question takes, by what they say of it. */
interface Choices {
  conforming: Checked[];
  failing: Checked[];
  notApplicable: Checked[];
}

const choicesOf = (field: Question, index: ContentIndex): Choices => {
  const check = (value: unknown, mark?: { is_na: boolean }): Checked[] => {
    const checked = checkAnswer(field, index, value, mark);
    return Array.isArray(checked) || !isAnswered(checked) ? [] : [checked];
  };
  const isTriable = field.pattern === null || patternFault(field.pattern) === undefined;
  const tried = isTriable ? [...candidates(field, index), ...nearRule(field)] : [];
  const given = tried.flatMap((value) => check(value));
  const {
    notApplicable = [],
    failing = [],
    conforming = [],
  } = Object.groupBy(given, ({ value, is_na }) => {
    if (is_na) return 'notApplicable';
    return isFailed(field, index, value) ? 'failing' : 'conforming';
  });
  return {
    failing,
    // Any option may be chosen; of all else, what comes first is the most plausible.
    conforming: isChoice(field) ? conforming : conforming.slice(0, VARIED.has(field.type) ? 3 : 1),
    notApplicable: [...check(null, { is_na: true }), ...notApplicable],
  };
};

/** The media beside an answer: what its rule asks for, and a photo of what failed. */
const mediaBeside = (field: Field, isFailing: boolean): { media?: MediaItem[] } => {
  const { kinds = null, min = 0, max = MOST_MEDIA } = field.media ?? {};
  const count = Math.min(max, Math.max(min, Number(isFailing)));
  if (isMedia(field) || count === 0) return {};
  const kind = !kinds || kinds.includes('photo') ? 'photo' : kinds[0]!;
  const checked = checkMedia(field, mediaOf(kind, count));
  return Array.isArray(checked) ? {} : { media: checked.value };
};

/** So many instances of every repeat, or as many as it may have. */
const everyRepeat = (wanted: number): Instances => ({
  of: ({ repeat: { min, max } }) =>
    Array.from({ length: Math.min(max, Math.max(min, wanted)) }, (_, position) => position),
});

const placesOf = (index: ContentIndex): FieldInstance[] => {
  const twice = [...index.sections.values()].reduce(
    (sum, { section, repeats }) =>
      sum +
      section.fields.length *
        repeats.reduce((product, { repeat: { min, max } }) => product * Math.min(max, Math.max(min, 2)), 1),
    0,
  );
  const instances = everyRepeat(twice > MOST_ANSWERS ? 1 : 2);
  return [...fieldInstances(index, instances)].filter(({ place }) => isAnswerable(place.field));
};

/** Every sixth that can fail does, the third first, or the last where there are fewer; one does not apply. */
const answersOf = (index: ContentIndex): ReportedAnswer[] => {
  const known = new Map<string, Choices>();
  const places = placesOf(index).map(({ place: { field }, instance_path }) => {
    const choices = known.get(field.id) ?? choicesOf(field, index);
    known.set(field.id, choices);
    return { field, instance_path, choices };
  });
  const fallible = places.filter(({ choices }) => choices.failing.length > 0);
  const first = Math.min(2, fallible.length - 1);
  const failed = new Set(fallible.filter((_, i) => i >= first && (i - first) % 6 === 0));
  const exempt = places.filter((place) => place.choices.notApplicable.length > 0 && !failed.has(place));
  const notApplicable = exempt[Math.floor(exempt.length / 2)];
  return places.flatMap((place, n): ReportedAnswer[] => {
    const { field, instance_path, choices } = place;
    const { conforming, failing } = choices;
    const isFailing = failed.has(place);
    const chosen = isFailing ? failing : place === notApplicable ? choices.notApplicable : conforming;
    const usable = chosen.length > 0 ? chosen : [...conforming, ...choices.notApplicable, ...failing];
    const answer = usable[n % usable.length];
    if (!answer) return [];
    const isNoted = field.note_required_on.length > 0 || n % 7 === 3;
    return [
      {
        field_id: field.id,
        instance_path,
        ...answer,
        ...mediaBeside(field, isFailing),
        note: isFailing ? FAILED_NOTE : isNoted ? NOTE : '',
        answered_by: idOf('person', n % 2),
        answered_at: at(1 + (n % (COMPLETED - 10))),
      },
    ];
  });
};

const startAnswersOf = (index: ContentIndex): StartAnswers =>
  Object.fromEntries(
    [...index.startFields.values()].flatMap((field) => {
      const [answer] = isAnswerable(field) ? choicesOf(field, index).conforming : [];
      return answer ? [[field.key, answer.value]] : [];
    }),
  );

const findingOf = (
  about: Pick<Finding, 'label' | 'section_id' | 'field_id' | 'instance_path' | 'origin' | 'severity'>,
  n: number,
): Finding => ({
  id: idOf('finding', n),
  created_at: at(COMPLETED),
  updated_at: at(COMPLETED),
  inspection_id: idOf('inspection'),
  number: n + 1,
  ...about,
  content: {
    description: 'What was found, where, and who is exposed to it.',
    recommendation: 'What should be done about it.',
    root_cause: n === 0 ? 'Why it came to this.' : '',
    media: n === 0 ? mediaOf('photo', 1) : [],
  },
  status: 'open',
  trigger_cleared: false,
  corrective_actions_count: Number(n === 0),
  created_by: idOf('person', INSPECTOR),
  version: 1,
});

/** As the rules of the failed fields say, and one for the first finding anyway. */
const actionsOf = (index: ContentIndex, findings: readonly Finding[]): ReportedAction[] =>
  findings
    .map((finding) => ({
      ...finding,
      rule: index.fields.get(finding.field_id ?? '')?.field.finding?.corrective_action,
    }))
    .filter(({ rule, number }) => rule || number === 1)
    .map(({ id, label, rule }, n) => ({
      id: idOf('action', n),
      finding_id: id,
      number: n + 1,
      title: rule?.title ?? `Put right: ${label}`,
      description: 'What is to be done, and how it is known to be done.',
      priority: rule?.priority ?? 'medium',
      // Whatever is still to be done would be overdue some day.
      status: 'pending_verification',
      assignee_id: idOf('person', INSPECTOR),
      due_at: at(COMPLETED + (rule?.due_in_days ?? 7) * 24 * 60),
      completed_at: at(COMPLETED),
      completion_note: 'What was done.',
      verified_at: null,
    }));

/** One for each failed answer whose field has a rule for it; without any, one that an inspector might add. */
const findingsOf = (index: ContentIndex, answers: readonly ReportedAnswer[]): Finding[] => {
  const found = answers.flatMap(({ field_id, instance_path, value, is_na }) => {
    const { field, section } = index.fields.get(field_id)!;
    const { finding: rule } = field;
    if (is_na || !rule || rule.create === 'never' || !isFailed(field, index, value)) return [];
    const label = rule.label ?? field.label;
    return [
      {
        label,
        severity: rule.severity,
        section_id: section.id,
        field_id,
        instance_path,
        origin: 'auto' as const,
      },
    ];
  });
  const manual = {
    label: 'Sample finding',
    severity: 'minor' as const,
    section_id: null,
    field_id: null,
    instance_path: '',
    origin: 'manual' as const,
  };
  return (found.length > 0 ? found : [manual]).map(findingOf);
};

const inspectionOf = (template: ReportInspection['template']): ReportInspection => ({
  id: idOf('inspection'),
  number: 1,
  name: template.name,
  status: 'completed',
  client: CLIENT,
  location: LOCATION,
  template,
  participants: (
    [
      [LEAD, 'lead'],
      [INSPECTOR, 'inspector'],
      [APPROVER, 'approver'],
    ] as const
  ).map(([n, role]) => ({
    user_id: idOf('person', n),
    name: PEOPLE[n]!,
    role,
    status: 'submitted',
    submitted_at: at(COMPLETED - 5),
  })),
  scheduled_for: at(0),
  due_at: at(8 * 60),
  started_at: at(0),
  submitted_at: at(COMPLETED - 5),
  approved_at: at(COMPLETED),
  signed_off_at: null,
  completed_at: at(COMPLETED),
});

/**
 * What a report of a completed inspection would be made of, with generated answers: the same for the same content,
 * and each such that it could be saved. What conditions hide is left out; a field whose limits none of the usual
 * answers meets stays unanswered.
 */
export const sampleSources = (
  index: ContentIndex,
  {
    template,
    ...setting
  }: Pick<ReportSources, 'organization' | 'layout'> & Pick<ReportInspection, 'template'>,
): ReportSources => {
  const given = answersOf(index);
  const evaluation = evaluate(index, given, startAnswersOf(index));
  const answers = given.filter(
    ({ field_id, instance_path }) =>
      evaluation.standingOf(index.fields.get(field_id)!, instance_path) !== 'hidden',
  );
  const shownKeys = index.content.start.fields.filter(
    (field) => evaluation.startStandingOf(field) !== 'hidden',
  );
  const findings = findingsOf(index, answers);
  return {
    ...setting,
    inspection: inspectionOf(template),
    index,
    startAnswers: Object.fromEntries(
      shownKeys.flatMap(({ key }) => (key in evaluation.start ? [[key, evaluation.start[key]]] : [])),
    ),
    answers,
    findings,
    actions: actionsOf(index, findings),
    names: new Map([
      ...PEOPLE.map((name, n) => [idOf('person', n), name] as const),
      [CLIENT.id, CLIENT.name],
      [LOCATION.id, LOCATION.name],
    ]),
    documents: new Map(
      FILE_KINDS.flatMap((kind) =>
        Array.from({ length: MOST_MEDIA }, (_, n) => [documentId(kind, n), FILES[kind]] as const),
      ),
    ),
  };
};
