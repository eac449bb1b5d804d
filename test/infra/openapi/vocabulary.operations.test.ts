import { loadCatalogue } from '../../../infra/catalogue.ts';
import { openApiDocument } from '../../../infra/openapi/document.ts';
import type { JsonSchema } from '../../../infra/openapi/document/json-schema.ts';
import type { OperationObject, Parameter } from '../../../infra/openapi/document/types.ts';
import { searchFilter } from '../../../shared/schemas/common.ts';

/*
 * One thing has one name, one type and one filter in all lists. The rules are those of the reference (Names), and what
 * they find is derived from the declarations.
 */

/** What breaks a rule and stays, by its reason. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'The contract has this name.': [
    '/templates/families: the filter archived has no field',
    '/templates/families: the filter initiable has no field',
    '/inspections/{inspection_id}/corrections/{correction_id}/revisions: the filter include_start has no field',
  ],
  'It is named as in the contract’s list of templates.': [
    '/inspections: the filter archived has no field',
    '/inspections/assigned: the filter archived has no field',
  ],
  'It adds rows, as the contract’s include_start does.': [
    '/inspections/{inspection_id}/corrections/{correction_id}/revisions: the filter include_setup has no field',
  ],
  'It compares a field inside an object of the row: score, participants, finding.': [
    '/inspections: the filter assignee_id has no field',
    '/inspections: the filter result has no field',
    '/inspections: the filter score_max has no field',
    '/inspections: the filter score_min has no field',
    '/inspections/assigned: the filter result has no field',
    '/inspections/assigned: the filter score_max has no field',
    '/inspections/assigned: the filter score_min has no field',
    '/corrective-actions: the filter contact is string:email, its field object',
    '/corrective-actions: the filter field_id has no field',
    '/corrective-actions: the filter severity has no field',
  ],
  'It compares what the calendar does not show: the schedule’s template family.': [
    '/inspection-schedules/calendar: the filter template_family_id has no field',
  ],
  'It asks whether there is one, which the field says by being null or empty.': [
    '/findings: the filter repeat is boolean, its field object',
    '/inspection-schedules: the filter has_problems has no field',
    '/inspections/{inspection_id}/findings: the filter repeat is boolean, its field object',
    '/me/notifications: the filter unread has no field',
  ],
  'One name in both lists for the end of a thing: resolved_at of findings, verified_at of actions.': [
    '/corrective-actions: the filter closed_after has no field',
    '/corrective-actions: the filter closed_before has no field',
    '/findings: the filter closed_after has no field',
    '/findings: the filter closed_before has no field',
  ],
  '`me` stands for the caller.': [
    '/inspections: the filter approver_id is string or string:uuid, its field string:uuid',
    '/inspections/assigned: the filter approver_id is string or string:uuid, its field string:uuid',
  ],
  'The dates of a calendar.': [
    '/inspection-schedules/calendar: the filter from has no field',
    '/inspection-schedules/calendar: the filter to has no field',
  ],
  'It says where at the vendor to read.': [
    '/integrations/connections/{connection_id}/columns: the filter board_id has no field',
    '/integrations/connections/{connection_id}/item-children: the filter item_id has no field',
    '/integrations/connections/{connection_id}/items: the filter group_ids has no field',
    '/integrations/connections/{connection_id}/subitem-columns: the filter board_id has no field',
  ],
  'What happened has one time, and its lists the span since and until, and the types.': [
    '/integrations/{vendor}/activity: the filter since has no field',
    '/events: the filter since has no field',
    '/events: the filter until has no field',
    '/webhooks/{webhook_id}/deliveries: the filter since has no field',
    '/webhooks/{webhook_id}/deliveries: the filter types has no field',
    '/webhooks/{webhook_id}/deliveries: the filter until has no field',
    '/events: the filter types has no field',
  ],
  'An event is about several resources.': ['/events: the filter resource_id has no field'],
  'It reads the rows of one client account, place, asset, family, member or question.': [
    '/assets: the filter location_id is string:uuid, elsewhere [string:uuid]',
    '/certificates: the filter asset_id is string:uuid, elsewhere [string:uuid]',
    '/certificates: the filter client_account_id is string:uuid, elsewhere [string:uuid]',
    '/certificates: the filter location_id is string:uuid, elsewhere [string:uuid]',
    '/inspection-schedules/calendar: the filter asset_id is string:uuid, elsewhere [string:uuid]',
    '/inspection-schedules/calendar: the filter assignee_id is string:uuid, elsewhere [string:uuid]',
    '/inspection-schedules/calendar: the filter location_id is string:uuid, elsewhere [string:uuid]',
    '/inspection-schedules/calendar: the filter template_family_id is string:uuid, elsewhere [string:uuid]',
    '/inspection-schedules: the filter asset_id is string:uuid, elsewhere [string:uuid]',
    '/inspection-schedules: the filter assignee_id is string:uuid, elsewhere [string:uuid]',
    '/inspection-schedules: the filter client_account_id is string:uuid, elsewhere [string:uuid]',
    '/inspection-schedules: the filter location_id is string:uuid, elsewhere [string:uuid]',
    '/inspection-schedules: the filter template_family_id is string:uuid, elsewhere [string:uuid]',
    '/inspections/{inspection_id}/responses/history: the filter field_id is string:uuid, elsewhere [string:uuid]',
    '/issues: the filter client_account_id is string:uuid, elsewhere [string:uuid]',
    '/issues: the filter location_id is string:uuid, elsewhere [string:uuid]',
    '/issues: the filter assignee_id is string:uuid, elsewhere [string:uuid]',
    '/location-transfers: the filter location_id is string:uuid, elsewhere [string:uuid]',
    '/locations: the filter client_account_id is string:uuid, elsewhere [string:uuid]',
    '/responses: the filter template_family_id is string:uuid, elsewhere [string:uuid]',
  ],
  'A word of the organization’s own, which may have a comma.': [
    '/locations: the filter kind is string, elsewhere [string]',
  ],
  'A calendar shows all of its days.': ['/inspection-schedules/calendar: no filter is_overdue'],
  'Visitors, the operator of the service and the service itself act as well, and have no id.': [
    'Event: the field actor_id is string, elsewhere string:uuid',
    'InspectionActivity: the field actor_id is string, elsewhere string:uuid',
    'MailQuestion: the field created_by is string, elsewhere string:uuid',
    'ShareLink: the field created_by is string, elsewhere string:uuid',
    'SignatureLink: the field created_by is string, elsewhere string:uuid',
    'SyncRun: the field requested_by is string:uuid, elsewhere string',
    'Webhook: the field created_by is string, elsewhere string:uuid',
  ],
  'A word that the house has for two things, each clear beside its neighbours.': [
    'BulkChangeRow: the field position is integer, elsewhere string',
    'Certificate: the field number is string, elsewhere integer',
    'Inspection: the field score is object, elsewhere number',
    'PublicLink: the field contact is string, elsewhere object',
    'ReportEmail: the field to is [string], elsewhere string',
    'Schedule: the field places is object, elsewhere [object]',
  ],
  'A start answer, a setup field and an answer of any type stand in one list.': [
    'AnswerRecord: the field value is [object] or [string] or boolean or number or object or string, elsewhere anything',
    'FormerAnswer: the field value is [object] or [string] or boolean or number or object or string, elsewhere anything',
    'Revision: the field field_id is string, elsewhere string:uuid',
  ],
  'Requests check the form; older rows need not have it.': [
    'SignatureLink: the field email is string:email, elsewhere string',
    'Webhook: the field url is string, elsewhere string:uri',
  ],
  'The vendor’s problem has a code and a message.': ['SyncRun: the field error is object, elsewhere string'],
  'Later ones are since and until, and clients of the first release read these.': [
    'WebhookReplay: the field from is string:date-time, elsewhere string',
    'WebhookReplay: the field to is string:date-time, elsewhere string',
  ],
  'The vendor’s own ids and addresses.': [
    'Board: the field id is string, elsewhere string:uuid',
    'Board: the field url is string, elsewhere string:uri',
    'Column: the field id is string, elsewhere string:uuid',
    'Item: the field id is string, elsewhere string:uuid',
    'Item: the field url is string, elsewhere string:uri',
  ],
};

/** The lists whose `q` finds something else than the words of names, and says what. */
const OTHER_SEARCHES: readonly string[] = [
  '/inspections',
  '/inspections/assigned',
  '/inspections/summary',
  '/findings',
  '/findings/summary',
  '/corrective-actions',
  '/corrective-actions/summary',
  '/locations',
  '/documents',
  '/integrations/connections/{connection_id}/boards',
  '/integrations/connections/{connection_id}/items',
];

/** What every list may have, and what compares no field by itself. */
const PAGING: ReadonlySet<string> = new Set([
  'after',
  'cursor',
  'format',
  'limit',
  'newest_first',
  'offset',
  'q',
  'sort',
  'updated_since',
]);

/** Filters by what is above the place of a row. */
const ABOVE: ReadonlySet<string> = new Set(['within', 'region_id']);

/** What a list of the organization finds its rows by, wherever they have it: the field, and its filter. */
const EVERYWHERE: Readonly<Record<string, string>> = {
  asset_id: 'asset_id',
  external_ref: 'external_ref',
  is_overdue: 'is_overdue',
  metadata: 'metadata',
  tags: 'tag',
};

interface List {
  path: string;
  /** By their names. */
  filters: ReadonlyMap<string, JsonSchema>;
  deprecated: ReadonlySet<string>;
  /** The component that the rows are; their path where they are none. */
  row: string;
  fields: Readonly<Record<string, JsonSchema>>;
}

let lists: List[];
let schemas: Readonly<Record<string, JsonSchema>>;

const resolved = (schema: JsonSchema): JsonSchema =>
  schema.$ref ? resolved(schemas[schema.$ref.split('/').at(-1)!]!) : schema;

const branchesOf = (schema: JsonSchema): JsonSchema[] =>
  (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null');

/** What a value is, without the words about it: `string:uuid`, `[integer]`. Whether it may be null does not matter. */
const formOf = (given: JsonSchema): string => {
  const schema = resolved(given);
  const branches = branchesOf(schema);
  if (branches.length > 0) return [...new Set(branches.map(formOf))].toSorted().join(' or ');
  const type =
    [schema.type ?? []].flat().find((one) => one !== 'null') ?? (schema.enum ? 'string' : 'anything');
  if (type === 'array') return `[${formOf(schema.items as JsonSchema)}]`;
  return schema.format ? `${type}:${schema.format}` : type;
};

/** The form of one value of a list. */
const oneOf = (form: string): string => form.replace(/^\[(.*)\]$/, '$1');

const fieldsOf = (row: JsonSchema): Readonly<Record<string, JsonSchema>> => {
  const schema = resolved(row);
  const all = [schema, ...branchesOf(schema).map(resolved)].map(({ properties = {} }) => properties);
  return Object.assign({}, ...all) as Record<string, JsonSchema>;
};

const listOf = (path: string, { parameters = [], responses }: OperationObject): List[] => {
  const reply = responses['200'];
  const content = reply && 'content' in reply ? reply.content?.['application/json']?.schema : undefined;
  if (!content) return [];
  const body = resolved(content);
  const rows = body.type === 'array' ? body : fieldsOf(body)['items'];
  if (!rows || path.startsWith('/app/')) return [];
  const row = rows.items as JsonSchema;
  const query = parameters.filter((one): one is Parameter => 'in' in one && one.in === 'query');
  return [
    {
      path,
      filters: new Map(query.map(({ name, schema }) => [name, schema])),
      deprecated: new Set(query.flatMap(({ name, deprecated }) => (deprecated ? name : []))),
      row: row.$ref?.split('/').at(-1) ?? path,
      fields: fieldsOf(row),
    },
  ];
};

beforeAll(async () => {
  const document = openApiDocument(await loadCatalogue());
  schemas = document.components.schemas;
  lists = Object.entries(document.paths).flatMap(([path, { get }]) => (get ? listOf(path, get) : []));
});

/** The filters of a list that are not deprecated. */
const currentFilters = ({ filters, deprecated }: List): [string, JsonSchema][] =>
  [...filters].filter(([name]) => !deprecated.has(name));

/** The forms of the field that a filter compares, by the ways in which a filter is named after it. */
const comparedBy = (name: string, fields: List['fields']): string[] => {
  const of = (field: string) => (fields[field] ? [formOf(fields[field])] : []);
  const inside = (field: string) =>
    fields[field] ? fieldsOf(branchesOf(fields[field])[0] ?? fields[field]) : {};
  const [, stem = ''] = /^(.*)_(?:after|before)$/.exec(name) ?? [];
  const [, thing = ''] = /^(.*)_id$/.exec(name) ?? [];
  return [
    ...of(name),
    ...of(`${name}s`).map(oneOf),
    ...['at', 'for', 'on'].flatMap((end) => of(`${stem}_${end}`)),
    ...(inside(thing)['id'] ? [formOf(inside(thing)['id']!)] : []),
  ];
};

/** Filters without a field, or with another type than theirs. */
const strayFilters = (): string[] =>
  lists.flatMap((list) =>
    currentFilters(list).flatMap(([name, schema]) => {
      if (PAGING.has(name) || ABOVE.has(name)) return [];
      const [form, compared] = [formOf(schema), comparedBy(name, list.fields)];
      if (compared.length === 0) return `${list.path}: the filter ${name} has no field`;
      if (compared.some((one) => one === form || one === oneOf(form) || oneOf(one) === form)) return [];
      return `${list.path}: the filter ${name} is ${form}, its field ${compared.join(', ')}`;
    }),
  );

/** A use of a name. */
type Use = readonly [name: string, form: string, where: string];

/** The form that most uses have. A filter that takes several values anywhere is to take them everywhere. */
const usual = (what: 'filter' | 'field', uses: readonly Use[]): string => {
  const forms = [...Map.groupBy(uses, ([, form]) => form)];
  const several = what === 'field' ? [] : forms.filter(([form]) => form.startsWith('['));
  const [most] = (several.length > 0 ? several : forms).toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
  return most![0];
};

/** What has another form than the same name has elsewhere. */
const differing = (what: 'filter' | 'field', uses: readonly Use[]): string[] =>
  [...Map.groupBy(uses, ([name]) => name)].flatMap(([name, all]) => {
    const elsewhere = usual(what, all);
    return all.flatMap(([, form, where]) =>
      form === elsewhere ? [] : `${where}: the ${what} ${name} is ${form}, elsewhere ${elsewhere}`,
    );
  });

/** Filters that do not find rows by what lists of other rows do. */
const missingFilters = (): string[] =>
  lists
    .filter(({ path }) => !path.includes('{'))
    .flatMap(({ path, filters, fields }) =>
      Object.entries(EVERYWHERE).flatMap(([field, filter]) =>
        fields[field] && !filters.has(filter) ? `${path}: no filter ${filter}` : [],
      ),
    );

test('one thing has one name, one type and one filter in all lists', () => {
  const rows = new Map(lists.map((list) => [list.row, list]));
  const contradictions = [
    ...strayFilters(),
    ...differing(
      'filter',
      lists.flatMap((list) =>
        currentFilters(list).map(([name, one]) => [name, formOf(one), list.path] as const),
      ),
    ),
    ...differing(
      'field',
      [...rows.values()].flatMap(({ row, fields }) =>
        Object.entries(fields).map(([name, one]) => [name, formOf(one), row] as const),
      ),
    ),
    ...missingFilters(),
  ];
  const excepted = Object.values(EXCEPTIONS).flat();
  expect({
    found: contradictions.filter((one) => !excepted.includes(one)),
    excepted: excepted.filter((one) => !contradictions.includes(one)),
  }).toEqual({ found: [], excepted: [] });
});

test('q finds the same in all lists, but where it is older than the words of names', async () => {
  const { paths } = openApiDocument(await loadCatalogue());
  const sentences = Object.entries(paths).flatMap(([path, { get }]) =>
    (get?.parameters ?? []).flatMap((one) =>
      'in' in one && one.in === 'query' && one.name === 'q'
        ? [[path, one.description, formOf(one.schema)]]
        : [],
    ),
  );
  const others = sentences.filter(([, sentence]) => sentence !== searchFilter.q.meta()!.description);
  expect(others.map(([path]) => path)).toEqual(OTHER_SEARCHES);
  expect(new Set(sentences.map(([, , form]) => form))).toEqual(new Set(['string']));
});

test('a summary takes the filters of its list', async () => {
  const ofLists: ReadonlySet<string> = new Set([...PAGING].filter((name) => name !== 'q'));
  const { paths } = openApiDocument(await loadCatalogue());
  const namesOf = (path: string) =>
    new Set(
      paths[path]!.get!.parameters!.flatMap((one) => ('in' in one && one.in === 'query' ? one.name : [])),
    );
  const summaries = Object.keys(paths).filter((path) => path.endsWith('/summary'));
  expect(summaries).toEqual(['/inspections/summary', '/findings/summary', '/corrective-actions/summary']);
  for (const path of summaries) {
    const known = namesOf(path);
    const missing = [...namesOf(path.replace('/summary', ''))].filter(
      (name) => !known.has(name) && !ofLists.has(name),
    );
    expect([path, missing]).toEqual([path, []]);
  }
});
