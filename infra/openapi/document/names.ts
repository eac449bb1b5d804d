import { isDeepStrictEqual } from 'node:util';
import { COMPONENT, type Definitions, type JsonSchema } from './json-schema.ts';

/**
 * Names of enums, with a place where each stands. All equal enums get this name. Every other enum or object in a
 * component is named after its place: `HolidayCalendarDate` for an entry of `dates`.
 */
export const ENUM_NAMES: Readonly<Record<string, string>> = {
  AnswerSource: 'Revision.answer_source',
  ApprovalOutcome: 'Inspection.approval_outcome',
  AssetStatus: 'Asset.status',
  AttachmentStage: 'Attachment.stage',
  AuditAction: 'AuditEntry.action',
  ConditionOperator: 'FieldComparison.op',
  ConnectionStatus: 'Connection.status',
  CorrectionMode: 'Inspection.correction_mode',
  CorrectionStatus: 'Correction.status',
  CorrectiveActionActivityKind: 'Activity.kind',
  CorrectiveActionStatus: 'CorrectiveAction.status',
  DateFormat: 'Organization.date_format',
  EmailStatus: 'ReportEmail.status',
  EmailedFormat: 'ReportEmail.format',
  EventSubscription: 'Webhook.types[]',
  EventType: 'WebhookDelivery.type',
  ExportBundle: 'BulkReportExport.bundle',
  ExportStatus: 'ReportExport.status',
  FailRuleOperator: 'FailRule.op',
  FindingOrigin: 'Finding.origin',
  FindingStatus: 'Finding.status',
  InspectionArchiveReason: 'Inspection.archive_reason',
  InspectionCorrectionStatus: 'Inspection.correction_status',
  InspectionSource: 'Inspection.source',
  InspectionStatus: 'Inspection.status',
  IntegrationActivityKind: 'IntegrationActivity.kind',
  IssuePriority: 'Issue.priority',
  IssueSource: 'Issue.source',
  IssueStatus: 'Issue.status',
  KeyAccess: 'ApiKey.access',
  KeyExpiry: 'NewApiKey.expires',
  KeyScope: 'ApiKey.scopes[]',
  LocationStatus: 'Location.status',
  MailWaitReason: 'MailWait.reason',
  MediaKind: 'MediaRule.kinds[]',
  MemberRole: 'Member.role',
  MemberStatus: 'Member.status',
  NotificationKind: 'Notification.kind',
  PageOrientation: 'ReportLayout.orientation',
  PageSize: 'ReportLayout.page_size',
  ParticipantRole: 'Participant.role',
  ParticipantStatus: 'Participant.status',
  PausedReason: 'Schedule.paused_reason',
  PersonRole: 'PersonProfile.role',
  Priority: 'CorrectiveAction.priority',
  PublicLinkStatus: 'PublicLink.status',
  RecurrenceWarning: 'Schedule.warnings[]',
  ReinspectionScope: 'Inspection.reinspection_scope',
  RowSource: 'Location.source',
  ScheduleAssignees: 'Schedule.assignees',
  ScheduleOnHoliday: 'Schedule.on_holiday',
  ScheduleStatus: 'Schedule.status',
  ScheduleTimezone: 'Schedule.timezone',
  ScoreResult: 'Score.result',
  ScoringMethod: 'Scoring.method',
  ScoringUnanswered: 'Scoring.unanswered',
  Severity: 'Finding.severity',
  SourceLevel: 'Source.level',
  SourceStatus: 'Source.status',
  SourceTarget: 'Source.target_ref',
  StartFieldType: 'StartField.type',
  TemplateFieldType: 'Field.type',
  TemplateStatus: 'Template.status',
  TimeFormat: 'Organization.time_format',
  WebhookStatus: 'Webhook.status',
  Weekday: 'HolidayCalendar.weekend_days[]',
};

const ANNOTATIONS = new Set(['description', 'default', 'examples', 'readOnly', 'writeOnly', 'deprecated']);

/** A schema in its parts: what is said about this use of it, its form, and whether it may also be null. */
const partsOf = (schema: JsonSchema) => {
  const entries = Object.entries(schema);
  const said = Object.fromEntries(entries.filter(([keyword]) => ANNOTATIONS.has(keyword)));
  const { type, ...form } = Object.fromEntries(entries.filter(([keyword]) => !ANNOTATIONS.has(keyword)));
  const types = [type].flat() as string[];
  const isNullable = types.length === 2 && types[1] === 'null';
  return {
    said,
    isNullable,
    form: {
      type: isNullable ? types[0] : type,
      ...form,
      ...(schema.enum && { enum: schema.enum.filter((value) => value !== null) }),
    } as JsonSchema,
  };
};

const referTo = (name: string, said: JsonSchema, isNullable: boolean): JsonSchema => {
  const $ref = COMPONENT + name;
  return isNullable ? { anyOf: [{ $ref }, { type: 'null' }], ...said } : { $ref, ...said };
};

/** A word of the name of a component. */
const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const singular = (word: string): string =>
  word
    .replace(/(?<=[a-z])ies$/, 'y')
    .replace(/(?<=sse)s$/, '')
    .replace(/(?<=[a-rt-z])s$/, '');

/** The owner without what tells the forms of one resource apart. */
export const resourceName = (owner: string): string =>
  owner
    .replace(/^(New|Created|Changed)(?=[A-Z])/, '')
    .replace(/(Changes|Input|EventData|Details|Corrected|BatchRow|Upsert)$/, '');

/** Gives names to the enums and objects of schemas that have none. */
export interface Namer {
  /** The components that it has made. */
  made: Definitions;
  /** The component with references in place of the enums and objects in it. */
  inComponent: (name: string, schema: JsonSchema) => JsonSchema;
  /** A parameter with references in place of the enums that components have. */
  inOperation: (schema: JsonSchema) => JsonSchema;
}

/** The values of an enum as a key. */
const valuesOf = (schema: JsonSchema): string =>
  JSON.stringify(partsOf(schema).form.enum?.map(String).toSorted());

/** The names of the enums that have one of their own, by their values. */
const ownNames = (components: Readonly<Definitions>): Map<string, string> =>
  new Map(
    Object.entries(ENUM_NAMES).flatMap(([name, place]) => {
      const [owner, property] = place.replace('[]', '').split('.') as [string, string];
      const field = (components[owner]?.properties as Definitions | undefined)?.[property];
      const schema = place.endsWith('[]') ? (field?.items as JsonSchema | undefined) : field;
      return schema?.enum ? [[valuesOf(schema), name]] : [];
    }),
  );

/**
 * Equal schemas in one resource get one name, whatever is said of each use.
 * @param components those that have names
 * @throws Error when two different schemas would get one name
 */
export const newNamer = (components: Readonly<Definitions>): Namer => {
  const made: Definitions = {};
  const enums = ownNames(components);

  const nameFor = (form: JsonSchema, candidates: readonly string[]): string => {
    const known = form.enum && enums.get(valuesOf(form));
    if (known) return known;
    const name = candidates.find(
      (candidate) =>
        !(candidate in components) && (!made[candidate] || isDeepStrictEqual(made[candidate], form)),
    );
    if (!name) throw new Error(`every name is taken: ${candidates.join(', ')}`);
    return name;
  };

  const replaced = (schema: JsonSchema, candidates: readonly string[]): JsonSchema => {
    const { said, form, isNullable } = partsOf(schema);
    const name = nameFor(form, candidates);
    made[name] ??= form;
    return referTo(name, said, isNullable);
  };

  const isNameable = ({ enum: values, type, properties }: JsonSchema) =>
    [type].flat().includes('string') ? values !== undefined : properties !== undefined;

  /** What tells the branch of a union apart: the value of its first constant property. */
  const tagOf = ({ properties = {} }: JsonSchema): string =>
    pascal(
      String(
        Object.values(properties as Definitions).flatMap(
          (property) => property.const ?? property.enum?.[0] ?? [],
        )[0] ?? '',
      ),
    );

  /** @param names what a part without a name may be called, the first choice first */
  const visit = (schema: JsonSchema, names: readonly string[], isRoot = false): JsonSchema => {
    const one = (value: unknown, name: (owner: string) => string) =>
      visit(value as JsonSchema, names.map(name));
    const next: JsonSchema = { ...schema };
    if (schema.properties)
      next.properties = Object.fromEntries(
        Object.entries(schema.properties).map(([name, value]) => [
          name,
          one(value, (owner) => owner + pascal(name)),
        ]),
      );
    for (const keyword of ['items', 'additionalProperties'] as const)
      if (typeof schema[keyword] === 'object') next[keyword] = one(schema[keyword], singular) as never;
    for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const)
      if (schema[keyword])
        next[keyword] = schema[keyword].map((branch) =>
          one(branch, (owner) => owner + (isNameable(branch) ? tagOf(branch) : '')),
        );
    return isRoot || !isNameable(next) ? next : replaced(next, names);
  };

  /** The name of an enum that no other component has. */
  const onlyName = (form: JsonSchema): string | undefined => {
    const equal = Object.keys(made).filter((name) => made[name]!.enum && isDeepStrictEqual(made[name], form));
    return equal.length === 1 ? equal[0] : undefined;
  };

  return {
    made,
    inComponent: (name, schema) => visit(schema, [...new Set([resourceName(name), name])], true),
    inOperation: (schema) => {
      const refer = (part: JsonSchema): JsonSchema => {
        if (part.items) return { ...part, items: refer(part.items as JsonSchema) };
        const { said, form, isNullable } = partsOf(part);
        const name = form.enum && (enums.get(valuesOf(form)) ?? onlyName(form));
        if (!name || !made[name]) return part;
        return referTo(name, said, isNullable);
      };
      return refer(schema);
    },
  };
};
