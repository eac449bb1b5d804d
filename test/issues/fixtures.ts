import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { IssueCategory } from '../../shared/schemas/issues/category.ts';
import type { Issue, IssueActivity, IssueStatus } from '../../shared/schemas/issues/issue.ts';
import type { PublicLink } from '../../shared/schemas/issues/public-link.ts';
import { as } from '../support/call.ts';
import { uuid } from '../support/content.ts';
import type { Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';

type At = { id: string };
/** Somebody with an API key, who sends a request. */
type As = Pick<Person, 'key'>;

let categories = 0;

/** A category; each has a name of its own. */
export const newCategory = ({ key }: As, body: object = {}): Promise<IssueCategory> =>
  as(key).issues.createCategory({ body: { name: `Hazard ${(categories += 1)}`, ...body } });

/** One question of every type. */
export const QUESTIONS = [
  { id: uuid(1), type: 'text', label: 'Where exactly?', required: true },
  { id: uuid(2), type: 'long_text', label: 'What happened?' },
  {
    id: uuid(3),
    type: 'single_select',
    label: 'Who is hurt?',
    options: [
      { value: 'nobody', label: 'Nobody' },
      { value: 'one', label: 'One person' },
    ],
  },
  {
    id: uuid(4),
    type: 'multi_select',
    label: 'What is wet?',
    options: [
      { value: 'floor', label: 'Floor' },
      { value: 'wall', label: 'Wall' },
    ],
  },
  { id: uuid(5), type: 'yes_no', label: 'Is it closed off?' },
  { id: uuid(6), type: 'number', label: 'How many metres?' },
  { id: uuid(7), type: 'date', label: 'Since when?' },
  { id: uuid(8), type: 'photo', label: 'What does it look like?' },
];

export const newLink = async ({ key }: As, body: object = {}, category?: At): Promise<PublicLink> =>
  as(key).issues.createPublicLink({
    params: { category_id: (category ?? (await newCategory({ key }))).id },
    body,
  });

export const newIssue = ({ key }: As, body: object = {}): Promise<Issue> =>
  as(key).issues.create({ body: { title: 'Wet floor', ...body } });

export const issueOf = ({ key }: As, { id }: At): Promise<Issue> =>
  as(key).issues.get({ params: { issue_id: id } });

export const patch = ({ key }: As, { id }: At, body: object, headers: Record<string, string> = {}) =>
  as(key).try.issues.update({ params: { issue_id: id }, body, headers });

/** The statuses through which a new issue reaches each status. */
export const PATHS: Readonly<Record<IssueStatus, readonly IssueStatus[]>> = {
  new: [],
  triaged: ['triaged'],
  in_progress: ['triaged', 'in_progress'],
  resolved: ['triaged', 'in_progress', 'resolved'],
  closed: ['triaged', 'in_progress', 'resolved', 'closed'],
  rejected: ['rejected'],
  duplicate: ['duplicate'],
};

/** An issue in a status. */
export const issueIn = async (person: As, status: IssueStatus, body: object = {}): Promise<Issue> => {
  let issue = await newIssue(person, body);
  for (const each of PATHS[status]) {
    const original = each === 'duplicate' && { duplicate_of_id: (await newIssue(person)).id };
    issue = await as(person.key).issues.update({
      params: { issue_id: issue.id },
      body: { status: each, ...original },
    });
  }
  return issue;
};

export const historyOf = ({ key }: As, { id }: At, query = {}): Promise<IssueActivity[]> =>
  as(key).issues.listActivity({ params: { issue_id: id }, query });

/** An inspection that is started from an issue. */
export const inspectionFor = async (person: Person, { id }: At, body: object = {}): Promise<Inspection> =>
  person.issues.createInspection({
    params: { issue_id: id },
    body: { template_family_id: (await publishedFamily(person.key)).id, ...body },
  });
