import { issueTransitions, moveBetween, reachableFrom } from '../../shared/domain/issues/workflow.ts';
import { type Issue, IssueStatus } from '../../shared/schemas/issues/issue.ts';
import type { Notification } from '../../shared/schemas/notification.ts';
import { dueDeadlines, notifyOfDeadline } from '../../shared/upkeep/due-notices.ts';
import { newDocument } from '../answers/fixtures.ts';
import { newClient, newColleague, newInspection, newLocation } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { uuid } from '../support/content.ts';
import { waitingEvents } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { historyOf, issueIn, issueOf, newCategory, newIssue, patch, QUESTIONS } from './fixtures.ts';

const HOUR = 3_600_000;

let person: Person;
beforeAll(async () => {
  person = await newPerson('Harbour & Sons');
});

const create = (body: object) => person.try.issues.create({ body: { title: 'Wet floor', ...body } });

const titles = async (query: object, key = person.key): Promise<string[]> => {
  const issues: Issue[] = await as(key).issues.list({ query: { ...query } });
  return issues.map(({ title }) => title);
};

const toldTo = async (key: string): Promise<[string, string | null][]> => {
  const { items } = await as(key).notifications.listMy();
  return (items as Notification[])
    .map(({ event, issue_id }): [string, string | null] => [event, issue_id])
    .toReversed();
};

describe('POST /issues', () => {
  test('201 with the defaults; the history and an event begin with it', async () => {
    const { body, status } = await create({});
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      number: expect.any(Number),
      title: 'Wet floor',
      description: '',
      category_id: null,
      status: 'new',
      priority: 'none',
      source: 'api',
      public_link_id: null,
      reporter: { name: null, email: null, phone: null },
      reported_by: person.caller.user_id,
      occurred_at: null,
      location_id: null,
      client_account_id: null,
      answers: [],
      media: [],
      assignee_id: null,
      due_at: null,
      is_overdue: false,
      triaged_at: null,
      resolved_at: null,
      closed_at: null,
      asset_id: null,
      names_then: null,
      resolution: '',
      duplicate_of_id: null,
      linked: { inspection_id: null, finding_id: null, corrective_action_id: null },
      external_ref: null,
      tags: [],
      metadata: {},
      version: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await issueOf(person, body)).toEqual(body);
    expect(await historyOf(person, body)).toEqual([
      expect.objectContaining({ kind: 'created', actor_id: person.caller.user_id, to: 'new' }),
    ]);
    expect((await newIssue(person)).number).toBeGreaterThan(body.number);
  });

  test('201 with what the category decides: priority, due time, assignee; the request wins where it speaks', async () => {
    const category = await newCategory(person, {
      sla_hours: 8,
      default_priority: 'high',
      default_assignee_id: person.adminId,
    });
    const decided = await newIssue(person, { category_id: category.id });
    expect(decided).toMatchObject({ priority: 'high', assignee_id: person.adminId });
    expect(Date.parse(decided.due_at!) - Date.parse(decided.created_at)).toBe(8 * HOUR);
    const sent = { priority: 'low', assignee_id: null, due_at: null };
    expect(await newIssue(person, { category_id: category.id, ...sent })).toMatchObject(sent);
  });

  test('201 at a location of a client belongs to that client; 400 for another one', async () => {
    const client = await newClient(person);
    const location_id = (await newLocation(person, client.id)).id;
    expect(await newIssue(person, { location_id })).toMatchObject({ client_account_id: client.id });
    const client_account_id = (await newClient(person)).id;
    expect((await create({ location_id, client_account_id })).status).toBe(400);
  });

  test('201 in an inspection: its place, and the source inspection', async () => {
    const location_id = (await newLocation(person)).id;
    const inspection = await newInspection(person, { location_id });
    expect(await newIssue(person, { inspection_id: inspection.id })).toMatchObject({
      source: 'inspection',
      location_id,
      linked: { inspection_id: inspection.id, finding_id: null, corrective_action_id: null },
    });
  });

  test('201 with answers to every type of question, in the order of the questions; they use their documents', async () => {
    const category = await newCategory(person, { questions: QUESTIONS });
    const document_id = await newDocument(person);
    const values: [number, unknown][] = [
      [8, [{ document_id }]],
      [7, '2026-01-31'],
      [6, 2.5],
      [5, false],
      [4, ['floor', 'wall']],
      [3, 'nobody'],
      [2, 'A pipe burst'],
      [1, 'Ground floor'],
    ];
    const answers = values.map(([n, value]) => ({ question_id: uuid(n), value }));
    const issue = await newIssue(person, { category_id: category.id, answers });
    expect(issue.answers.map(({ value }) => value)).toEqual([
      ...values
        .slice(1)
        .map(([, value]) => value)
        .toReversed(),
      [{ document_id, caption: '' }],
    ]);
    expect(issue.answers[0]!.label).toBe('Where exactly?');
    const request = { params: { document_id } };
    expect((await person.try.documents.delete(request)).status).toBe(409);
  });

  test('422 for answers that the questions do not take, all at once; nothing is created', async () => {
    const category = await newCategory(person, { questions: QUESTIONS });
    const pdf = await newDocument(person, 'application/pdf');
    const { status, body } = await create({
      category_id: category.id,
      answers: [
        { question_id: uuid(3), value: 'everybody' },
        { question_id: uuid(6), value: 'two' },
        { question_id: uuid(8), value: [{ document_id: pdf }] },
        { question_id: uuid(99), value: 1 },
        { question_id: uuid(3), value: 'one' },
      ],
      external_ref: 'never',
    });
    expect(status).toBe(422);
    expect(body.detail.map(({ loc }: { loc: string[] }) => loc.join('.')).toSorted()).toEqual([
      'body.answers',
      'body.answers.0.value',
      'body.answers.1.value',
      'body.answers.2.value.0.document_id',
      'body.answers.3.question_id',
      'body.answers.4.question_id',
    ]);
    expect(await titles({ external_ref: 'never' })).toEqual([]);
  });

  test('400 for what does not exist, 409 for an inactive category and a reference in use', async () => {
    const gone = '0190f3c2-0000-7000-8000-00000000dead';
    for (const field of ['category_id', 'location_id', 'client_account_id', 'assignee_id', 'inspection_id']) {
      const { status, body } = await create({ [field]: gone });
      expect([status, body.detail]).toEqual([400, expect.stringContaining(field)]);
    }
    expect((await create({ media: [{ document_id: gone }] })).status).toBe(400);
    const inactive = await newCategory(person, { is_active: false });
    expect((await create({ category_id: inactive.id })).status).toBe(409);
    await newIssue(person, { external_ref: 'twice' });
    expect((await create({ external_ref: 'twice' })).status).toBe(409);
  });
});

describe('GET /issues', () => {
  test('200 with each filter alone and together, newest first, page by page', async () => {
    const other = await newPerson('Filters');
    const category = await newCategory(other);
    const client = await newClient(other);
    const { id: region_id } = await other.regions.create({ body: { name: 'Port' } });
    const { id: yard } = await newLocation(other, client.id);
    const quay = { name: 'Quay', client_account_id: client.id, parent_id: yard, region_id };
    const { id: location_id } = await other.locations.create({ body: quay });
    const past = '2020-01-01T00:00:00Z';
    await newIssue(other, { title: 'A', category_id: category.id, priority: 'high', due_at: past });
    await newIssue(other, {
      title: 'B',
      location_id,
      assignee_id: other.adminId,
      external_ref: 'b',
      tags: ['Water', 'leak'],
      metadata: { tower: '1' },
    });
    const fire = { title: 'C', due_at: past, description: 'Fire', tags: ['fire', 'water'] };
    const c = await issueIn(other, 'resolved', fire);
    const at = (query: object) => titles(query, other.key);
    expect(await at({})).toEqual(['C', 'B', 'A']);
    expect(await at({ status: ['new', 'closed'] })).toEqual(['B', 'A']);
    expect(await at({ status: ['resolved'] })).toEqual(['C']);
    expect(await at({ category_id: category.id })).toEqual(['A']);
    expect(await at({ priority: ['high', 'low'] })).toEqual(['A']);
    expect(await at({ assignee_id: other.adminId })).toEqual(['B']);
    expect(await at({ location_id })).toEqual(['B']);
    expect(await at({ within: yard })).toEqual(['B']);
    expect(await at({ within: yard, location_id: yard })).toEqual([]);
    expect(await at({ within: yard, status: ['resolved'] })).toEqual([]);
    expect(await at({ region_id })).toEqual(['B']);
    expect(await at({ region_id, within: location_id, tag: 'leak' })).toEqual(['B']);
    expect(await at({ client_account_id: client.id })).toEqual(['B']);
    expect(await at({ source: 'api' })).toEqual(['C', 'B', 'A']);
    expect(await at({ source: 'public_link' })).toEqual([]);
    expect(await at({ is_overdue: true })).toEqual(['A']);
    expect(await at({ is_overdue: false })).toEqual(['C', 'B']);
    expect(await at({ overdue: true })).toEqual(['A']);
    expect(await at({ overdue: false })).toEqual(['C', 'B']);
    expect(await at({ q: 'fire' })).toEqual([]);
    expect(await at({ q: String(c.number) })).toEqual(['C']);
    expect(await at({ external_ref: 'b' })).toEqual(['B']);
    expect(await at({ external_ref: 'b', status: ['resolved'] })).toEqual([]);
    expect(await at({ updated_since: c.updated_at })).toEqual(['C']);
    expect(await at({ tag: 'WATER' })).toEqual(['C', 'B']);
    expect(await at({ tag: ['fire', 'leak'] })).toEqual(['C', 'B']);
    expect(await at({ tag: 'water', 'metadata.tower': '1' })).toEqual(['B']);
    expect(await at({ tag: 'water', status: ['resolved'] })).toEqual(['C']);
    expect(await at({ 'metadata.tower': '2' })).toEqual([]);

    const pages: string[][] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const query: Record<string, string | number> = { limit: 2, ...(cursor && { cursor }) };
      const { body, headers } = await other.try.issues.list({ query });
      pages.push((body as Issue[]).map(({ title }) => title));
      cursor = /cursor=([^&>]+)/.exec(headers['link'] ?? '')?.[1];
      if (cursor !== undefined) cursor = decodeURIComponent(cursor);
    }
    expect(pages).toEqual([['C', 'B'], ['A']]);
  });
});

describe('PATCH /issues/{issue_id}', () => {
  const statuses = IssueStatus.options;
  const pairs = statuses.flatMap((from) => statuses.map((to) => [from, to] as const));

  test('the workflow has exactly the moves of the contract', () => {
    const moves = pairs.filter(([from, to]) => moveBetween(from, to)).map((pair) => pair.join(' → '));
    expect(moves).toEqual([
      'new → triaged',
      'new → rejected',
      'new → duplicate',
      'triaged → in_progress',
      'triaged → rejected',
      'triaged → duplicate',
      'in_progress → resolved',
      'resolved → in_progress',
      'resolved → closed',
      'closed → in_progress',
    ]);
    for (const from of statuses) {
      const reached = issueTransitions().flatMap((move) => (move.from.includes(from) ? move.to : []));
      expect(reachableFrom(from)).toEqual(reached);
    }
  });

  test('200 for every move that is allowed, and 409 naming the status for every other one', async () => {
    const { id: duplicate_of_id } = await newIssue(person);
    const move = (issue: Issue, to: IssueStatus) =>
      patch(person, issue, { status: to, note: 'Because', ...(to === 'duplicate' && { duplicate_of_id }) });
    for (const from of statuses) {
      // A refused move changes nothing, so one issue takes all of them.
      const stays = await issueIn(person, from);
      for (const to of statuses) {
        if (from === to) continue;
        if (moveBetween(from, to)) {
          const { status, body } = await move(await issueIn(person, from), to);
          expect([from, to, status, body.status]).toEqual([from, to, 200, to]);
        } else {
          const { status, body } = await move(stays, to);
          expect([from, to, status]).toEqual([from, to, 409]);
          expect(body.detail).toContain(`The issue is ${from}.`);
        }
      }
      expect(await issueOf(person, stays)).toMatchObject(stays);
    }
  });

  test('200 sets the times of the moves, and clears them when the issue is reopened', async () => {
    const closed = await issueIn(person, 'closed');
    expect([closed.triaged_at, closed.resolved_at, closed.closed_at]).toEqual([
      expect.any(String),
      expect.any(String),
      expect.any(String),
    ]);
    expect((await patch(person, closed, { status: 'in_progress' })).body.detail).toEqual([
      expect.objectContaining({ loc: ['body', 'note'], type: 'missing' }),
    ]);
    const { body } = await patch(person, closed, { status: 'in_progress', note: 'Wet again' });
    expect(body).toMatchObject({ triaged_at: closed.triaged_at, resolved_at: null, closed_at: null });
    expect((await historyOf(person, closed)).at(-1)).toMatchObject({
      kind: 'status_changed',
      from: 'closed',
      to: 'in_progress',
      note: 'Wet again',
    });
  });

  test('200 edits fields, and the history says which; {} and the same values change nothing', async () => {
    const issue = await newIssue(person, { reporter: { name: 'Ada' }, due_at: '2030-01-01T00:00:00Z' });
    const { body } = await patch(person, issue, {
      priority: 'critical',
      assignee_id: person.adminId,
      due_at: null,
      title: 'Flooded cellar',
      reporter: { email: 'ada@example.com' },
    });
    expect(body).toMatchObject({
      priority: 'critical',
      due_at: null,
      reporter: { name: 'Ada', email: 'ada@example.com', phone: null },
      version: 2,
    });
    const entries = (await historyOf(person, issue)).slice(1);
    expect(entries.map(({ kind, from, to }) => `${kind} ${from} ${to}`).toSorted()).toEqual([
      `assigned null ${person.adminId}`,
      'due_changed 2030-01-01T00:00:00.000Z null',
      'edited null reporter, title',
      'priority_changed none critical',
    ]);
    for (const same of [{}, { title: 'Flooded cellar', status: 'new' }]) {
      expect((await patch(person, issue, same)).body).toEqual(body);
    }
    expect((await patch(person, issue, { title: 'Dry' }, { 'If-Match': '"1"' })).status).toBe(409);
    expect((await patch(person, issue, { title: 'Dry', expected_version: 1 })).status).toBe(409);
  });

  test('200 replaces answers against the category, and lets go of documents', async () => {
    const category = await newCategory(person, { questions: QUESTIONS });
    const [first, second] = [await newDocument(person), await newDocument(person)];
    const answers = (document_id: string) => [
      { question_id: uuid(1), value: 'Hall' },
      { question_id: uuid(8), value: [{ document_id }] },
    ];
    const issue = await newIssue(person, { category_id: category.id, answers: answers(first) });
    expect((await patch(person, issue, { answers: [{ question_id: uuid(1), value: 7 }] })).status).toBe(422);
    expect((await patch(person, issue, { answers: answers(second) })).status).toBe(200);
    const usesOf = async (document_id: string) =>
      (await person.try.documents.delete({ params: { document_id } })).status;
    expect(await usesOf(second)).toBe(409);
    expect(await usesOf(first)).not.toBe(409);
  });

  test('409 for a duplicate of itself or of a duplicate, 422 without the original or with another status', async () => {
    const [first, second, third] = [await newIssue(person), await newIssue(person), await newIssue(person)];
    const mark = (issue: Issue, original: Issue | null) =>
      patch(person, issue, { status: 'duplicate', duplicate_of_id: original?.id ?? null });
    expect((await mark(first, first)).status).toBe(409);
    expect((await mark(first, null)).status).toBe(422);
    expect((await patch(person, first, { duplicate_of_id: second.id })).status).toBe(422);
    expect((await mark(first, second)).body).toMatchObject({
      status: 'duplicate',
      duplicate_of_id: second.id,
    });
    expect((await mark(second, first)).status).toBe(409);
    expect((await mark(third, first)).status).toBe(409);
    const gone = { ...third, id: '0190f3c2-0000-7000-8000-00000000dead' };
    expect((await mark(third, gone)).status).toBe(400);
  });

  test('two issues that become duplicates of each other at once: one stays', async () => {
    for (let times = 0; times < 3; times += 1) {
      const [a, b] = [await newIssue(person), await newIssue(person)];
      const mark = (issue: Issue, original: Issue) =>
        patch(person, issue, { status: 'duplicate', duplicate_of_id: original.id });
      const answers = await Promise.all([mark(a, b), mark(b, a)]);
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    }
  });

  test('writers that change different things at once: both changes stand', async () => {
    const issue = await newIssue(person);
    await Promise.all([
      patch(person, issue, { priority: 'high' }),
      patch(person, issue, { resolution: 'Dried' }),
      person.issues.commentOn({ params: { issue_id: issue.id }, body: { note: 'Seen' } }),
    ]);
    expect(await issueOf(person, issue)).toMatchObject({ priority: 'high', resolution: 'Dried', version: 4 });
    expect(await historyOf(person, issue)).toHaveLength(4);
  });
});

test('every change emits its event, with the issue as it is then', async () => {
  const other = await newPerson('Events');
  const issue = await newIssue(other);
  await patch(other, issue, { status: 'triaged' });
  const triaged = await issueOf(other, issue);
  await other.issues.commentOn({ params: { issue_id: issue.id }, body: { note: 'Seen' } });
  const events = (await waitingEvents(other.caller)).filter(({ type }) => type.startsWith('issue.'));
  expect(events).toMatchObject([
    { type: 'issue.created', data: issue },
    { type: 'issue.updated', data: triaged },
    { type: 'issue.updated', data: await issueOf(other, issue) },
  ]);
});

describe('GET /issues/{issue_id}/activity', () => {
  test('200 with the oldest entry first, page by page; 404 for an issue that does not exist', async () => {
    const issue = await newIssue(person);
    for (const note of ['First', 'Second']) await patch(person, issue, { note });
    expect((await historyOf(person, issue)).map(({ note }) => note)).toEqual(['', 'First', 'Second']);
    expect(await historyOf(person, issue, { limit: 1 })).toHaveLength(1);
    const params = { issue_id: '0190f3c2-0000-7000-8000-00000000dead' };
    expect((await person.try.issues.listActivity({ params })).status).toBe(404);
  });
});

describe('notifications', () => {
  test('tell the assignee and whoever looks after the category of a new issue, and both once it is overdue', async () => {
    const other = await newPerson('Notices');
    const keeper = await newColleague(other, 'Keeper');
    const fitter = await newColleague(other, 'Fitter');
    const category = await newCategory(other, { default_assignee_id: keeper.user_id });
    const soon = new Date(Date.now() + HOUR).toISOString();
    const kept = await newIssue(other, { category_id: category.id, due_at: soon });
    const given = await newIssue(other, { category_id: category.id, assignee_id: fitter.user_id });
    expect(await toldTo(keeper.key)).toEqual([
      ['issue_assigned', kept.id],
      ['issue_reported', given.id],
    ]);
    expect(await toldTo(fitter.key)).toEqual([['issue_assigned', given.id]]);
    expect(await toldTo(other.key)).toEqual([]);

    const now = new Date(Date.now() + 2 * HOUR);
    const deadlines = (await Array.fromAsync(dueDeadlines(now))).flat();
    const own = deadlines.filter(({ org_id }) => org_id === other.caller.org_id);
    for (const deadline of [...own, ...own]) await notifyOfDeadline(deadline, now);
    expect((await toldTo(keeper.key)).slice(2)).toEqual([['issue_overdue', kept.id]]);
  });
});

test('404 for an issue of another organization', async () => {
  const stranger = await newPerson('Stranger');
  const issue = await newIssue(person);
  expect((await stranger.try.issues.get({ params: { issue_id: issue.id } })).status).toBe(404);
  expect((await patch(stranger, issue, { title: 'Mine' })).status).toBe(404);
});
