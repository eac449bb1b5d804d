import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { loadCatalogue } from '../../../infra/catalogue.ts';
import { openApiDocument } from '../../../infra/openapi/document.ts';
import type { OpenApiDocument } from '../../../infra/openapi/document/types.ts';
import { TimeZone } from '../../../shared/schemas/organization.ts';
import { Recurrence } from '../../../shared/schemas/recurrence.ts';

// The contract test shows that the document accepts what the service accepts. This is about what it refuses.

const ID = '019cade0-51c2-7000-8000-000000000001';
const recurrence = { rrule: 'FREQ=DAILY', dtstart_local: '2027-03-01T09:00', timezone: 'Europe/Lisbon' };
const answer = { section_id: ID, field_id: ID };

let document: OpenApiDocument;
let ajv: Ajv2020;

beforeAll(async () => {
  document = openApiDocument(await loadCatalogue());
  ajv = new Ajv2020({ strict: false, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'document', ...document });
});

const accepts = (name: string, value: unknown): boolean =>
  ajv.validate({ $ref: `document#/components/schemas/${name}` }, value);

test.each([
  ['NewScheduleOverride', { occurrence_date: '2027-03-01', action: 'skip', new_at: null }],
  ['NewScheduleOverride', { occurrence_date: '2027-03-01', action: 'move', new_at: '2027-03-01T09:00:00Z' }],
  ['NewIssueQuestion', { type: 'text', label: 'Where?', options: null }],
  ['NewIssueQuestion', { type: 'single_select', label: 'Where?', options: [{ value: 'a', label: 'A' }] }],
  ['ReportBlockInput', { kind: 'text', options: { text: 'Safety first.' } }],
  ['ReportBlockInput', { kind: 'score' }],
  ['Decision', { decision: 'approve' }],
  ['Decision', { decision: 'request_changes', comment: 'The photo shows another crane.' }],
  ['Advance', {}],
  ['Advance', { comment: 'Done.', sign_off: { signed_name: 'Ana Silva' } }],
  ['Advance', { decision: 'decline', comment: 'I was not there.', sign_off: { signed_name: 'Ana Silva' } }],
  ['NewConnection', { vendor: 'monday', title: 'Boards', credential: { api_token: 'abcd' } }],
  ['Recurrence', recurrence],
  ['Recurrence', { ...recurrence, rrule: 'freq=monthly;byday=-1FR,1MO;until=20280101T000000Z' }],
  ['Recurrence', { ...recurrence, timezone: 'America/Argentina/ComodRivadavia' }],
  ['Recurrence', { ...recurrence, timezone: 'Etc/GMT+1' }],
  ['WindowInput', { due_after: 'P1M2DT3H30M' }],
  ['ConditionInput', { all: [{ field_id: ID, op: 'in', value: ['a'] }] }],
  ['NewAnswer', { ...answer, value: [{ document_id: ID }] }],
  ['NewAnswer', { ...answer, value: null }],
  ['ContentChange', { content: { sections: [] } }],
])('%s accepts %j', (name, value) => {
  expect(accepts(name, value)).toBe(true);
});

test.each([
  ['NewScheduleOverride', { occurrence_date: '2027-03-01', action: 'move' }],
  ['NewScheduleOverride', { occurrence_date: '2027-03-01', action: 'skip', assignee_ids: [ID] }],
  ['NewScheduleOverride', { occurrence_date: '2027-03-01', action: 'reassign', assignee_ids: null }],
  ['NewIssueQuestion', { type: 'text', label: 'Where?', options: [{ value: 'a', label: 'A' }] }],
  ['NewIssueQuestion', { type: 'single_select', label: 'Where?' }],
  ['ReportBlockInput', { kind: 'text' }],
  ['ReportBlockInput', { kind: 'text', options: { text: ' ' } }],
  ['Decision', { decision: 'request_changes' }],
  ['Advance', { decision: 'decline' }],
  ['Advance', { decision: 'approve', sign_off: { signed_name: 'Ana Silva' } }],
  ['NewConnection', { vendor: 'monday', title: 'Boards', credential: { token: 'abcd' } }],
  ['NewConnection', { vendor: 'abacus', title: 'Boards', credential: { api_token: 'abcd' } }],
  ['Recurrence', { ...recurrence, rrule: 'RRULE:FREQ=DAILY' }],
  ['Recurrence', { ...recurrence, dtstart_local: '2027-03-01T09:00:00Z' }],
  ['Recurrence', { ...recurrence, timezone: '+01:00' }],
  ['WindowInput', { due_after: '1 day' }],
  ['AfterInput', { of: 'pass', every: 'PT24H' }],
  ['ConditionInput', { field_id: ID }],
  ['ConditionInput', { all: [], any: [] }],
  ['NewAnswer', { ...answer, value: { text: 'Loose' } }],
  ['GivenPlaces', { location_ids: [ID], within: ID }],
  ['FormImport', { name: 'Crane' }],
  ['NewBulkReportExport', { format: 'pdf' }],
  ['ContentChange', { content: { sections: [] }, operations: [] }],
])('%s refuses %j', (name, value) => {
  expect(accepts(name, value)).toBe(false);
});

test('the pattern of a time zone accepts every zone that the service knows', () => {
  const { pattern } = document.components.schemas['Recurrence']!.properties!['timezone'] as {
    pattern: string;
  };
  const zones = ['UTC', 'GMT', 'EST5EDT', ...Intl.supportedValuesOf('timeZone')];
  expect(zones.filter((zone) => TimeZone.safeParse(zone).success && !new RegExp(pattern).test(zone))).toEqual(
    [],
  );
});

test('the pattern of a start accepts the times that the service accepts', () => {
  const { pattern } = document.components.schemas['Recurrence']!.properties!['dtstart_local'] as {
    pattern: string;
  };
  const starts = ['1970-01-01T00:00', '2199-12-31T23:59', '2028-02-29T12:30'];
  expect(starts.every((start) => Recurrence.shape.dtstart_local.safeParse(start).success)).toBe(true);
  expect(starts.filter((start) => !new RegExp(pattern).test(start))).toEqual([]);
});

test('a union of objects names the property that tells them apart', () => {
  const { NewScheduleOverride, Decision, ReportBlockInput, AnswerResult } = document.components.schemas;
  const tags = [NewScheduleOverride, Decision, ReportBlockInput, AnswerResult].map(
    (schema) => (schema!['discriminator'] as { propertyName: string }).propertyName,
  );
  expect(tags).toEqual(['action', 'decision', 'kind', 'status']);
});
