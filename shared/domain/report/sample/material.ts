import { pick } from '../../../base/fields.ts';
import { fieldsFor } from '../../../schemas/inspections/fields.ts';
import { NewInspection } from '../../../schemas/inspections/inspection.ts';
import type { ReportInspection } from '../../../schemas/reports/report-payload.ts';
import { initialValues } from '../../../schemas/resource.ts';
import { evaluate } from '../../content/conditions/evaluate.ts';
import type { ContentIndex } from '../../content/content-index.ts';
import { namedText } from '../../content/piping.ts';
import type { ReportMaterial } from '../material.ts';
import { sampleAnswers, sampleStartAnswers } from './answers.ts';
import { sampleActions, sampleAttachments, sampleFindings } from './findings.ts';
import {
  APPROVER,
  at,
  CLIENT,
  COMPLETED,
  idOf,
  INSPECTOR,
  LEAD,
  LOCATION,
  PEOPLE,
  sampleDocuments,
} from './identities.ts';

const PARTICIPANTS = [
  [LEAD, 'lead'],
  [INSPECTOR, 'inspector'],
  [APPROVER, 'approver'],
] as const;

/** The initial values of the fields that clients can set and reports show. */
const nothingSaid = () => {
  const initial = initialValues(NewInspection);
  const reported = fieldsFor('report').filter(
    (name): name is typeof name & keyof typeof initial => name in initial,
  );
  return pick(initial, reported);
};

const sampleInspection = (template: ReportInspection['template']): ReportInspection => ({
  ...nothingSaid(),
  id: idOf('inspection'),
  number: 1,
  name: template.name,
  status: 'completed',
  client: CLIENT,
  location: LOCATION,
  template,
  participants: PARTICIPANTS.map(([n, role]) => ({
    user_id: idOf('person', n),
    name: PEOPLE[n],
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

const NAMES: ReadonlyMap<string, string> = new Map([
  ...PEOPLE.map((name, n) => [idOf('person', n), name] as const),
  [CLIENT.id, CLIENT.name],
  [LOCATION.id, LOCATION.name!],
]);

/**
 * The material of a report of a completed inspection, with generated answers. The same content always gets the same
 * answers, and each of them could be saved. Answers that conditions hide are left out. A field is not answered when
 * its limits refuse all of the usual values.
 */
export const sampleMaterial = (
  index: ContentIndex,
  {
    template,
    ...setting
  }: Pick<ReportMaterial, 'organization' | 'layout'> & Pick<ReportInspection, 'template'>,
): ReportMaterial => {
  const given = sampleAnswers(index);
  const evaluation = evaluate(index, given, sampleStartAnswers(index));
  const answers = given.filter(
    ({ field_id, instance_path }) =>
      evaluation.standingOf(index.fields.get(field_id)!, instance_path) !== 'hidden',
  );
  const shownKeys = index.content.start.fields.filter(
    (field) => evaluation.startStandingOf(field) !== 'hidden',
  );
  const textOf = namedText(index, NAMES);
  const findings = sampleFindings(evaluation, answers, textOf);
  const actions = sampleActions(evaluation, findings, textOf);
  return {
    ...setting,
    inspection: sampleInspection(template),
    isDraft: false,
    signOffs: [],
    index,
    startAnswers: Object.fromEntries(
      shownKeys.flatMap(({ key }) =>
        Object.hasOwn(evaluation.start, key) ? [[key, evaluation.start[key]]] : [],
      ),
    ),
    answers,
    findings,
    actions,
    attachments: sampleAttachments(actions),
    corrections: [],
    revisions: [],
    previousScore: null,
    names: NAMES,
    places: new Map([[LOCATION.id, LOCATION]]),
    documents: sampleDocuments(),
  };
};
