import * as deleteRemains from '../../functions/workers/delete-remains.ts';
import { visitorOf } from '../../shared/base/caller.ts';
import { linkStatus } from '../../shared/domain/issues/public-links.ts';
import { type IssueSubmission, openLink, report } from '../../shared/issues/report.ts';
import { followLink } from '../../shared/organizations/links/links.ts';
import type { PublicLink } from '../../shared/schemas/issues/public-link.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { queryRows } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { newDocument } from '../answers/fixtures.ts';
import { newClient, newLocation, suspend } from '../inspections/fixtures.ts';
import { uuid } from '../support/content.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { auditOf, newPerson, type Person } from '../support/people.ts';
import { historyOf, issueOf, newCategory, newIssue, newLink, QUESTIONS } from './fixtures.ts';

let person: Person;
beforeAll(async () => {
  person = await newPerson('Harbour & Sons');
});

type At = { id: string };
const of = ({ id }: At) => ({ params: { category_id: id } });
const ofLink = ({ id, category_id }: PublicLink) => ({ params: { category_id, public_link_id: id } });

const create = (body: object) => person.try.issues.createCategory({ body });
const patch = (category: At, body: object) => person.try.issues.updateCategory({ ...of(category), body });
const patchLink = (link: PublicLink, body: object) =>
  person.try.issues.updatePublicLink({ ...ofLink(link), body });

const locsOf = ({ body }: { body: { detail: { loc: string[] }[] } }): string[] =>
  body.detail.map(({ loc }) => loc.join('.'));

describe('POST and PATCH /issue-categories', () => {
  test('201 with every field; questions without an id get one', async () => {
    const { id: _, ...question } = QUESTIONS[0]!;
    const category = await newCategory(person, {
      questions: [question],
      description: ' ',
      default_assignee_id: person.adminId,
    });
    expect(category).toMatchObject({
      description: null,
      color: null,
      default_priority: 'none',
      sla_hours: null,
      translations: [],
      is_active: true,
      version: 1,
    });
    expect(category.questions).toEqual([{ id: expect.any(String), options: null, ...question }]);
    expect(await person.issues.getCategory(of(category))).toEqual(category);
    expect(await person.issues.listCategories()).toContainEqual(category);
  });

  test('409 for a name that another category has, whatever its case; a name that is free again can be taken', async () => {
    const category = await newCategory(person, { name: 'Spill' });
    expect((await create({ name: 'SPILL' })).status).toBe(409);
    expect((await patch(category, { name: 'Leak' })).status).toBe(200);
    expect((await create({ name: 'spill' })).status).toBe(201);
    expect((await patch(category, { name: 'spiLL' })).status).toBe(409);
  });

  test('422 for questions and translations that do not fit together, with every problem', async () => {
    const answer = await create({
      name: 'Wrong',
      questions: [
        { id: uuid(1), type: 'single_select', label: 'Which?' },
        { id: uuid(1), type: 'text', label: 'What?', options: [{ value: 'a', label: 'A' }] },
        {
          id: uuid(2),
          type: 'multi_select',
          label: 'Which?',
          options: [
            { value: 'a', label: 'A' },
            { value: 'a', label: 'B' },
          ],
        },
      ],
      translations: [
        { language: 'de', questions: [{ id: uuid(2), options: [{ value: 'b', label: 'B' }] }] },
        { language: 'de', questions: [{ id: uuid(9) }] },
      ],
    });
    expect(answer.status).toBe(422);
    expect(locsOf(answer).toSorted()).toEqual([
      'body.questions.0.options',
      'body.questions.1.id',
      'body.questions.1.options',
      'body.questions.2.options.1.value',
      'body.translations.0.questions.0.options.0.value',
      'body.translations.1.language',
      'body.translations.1.questions.0.id',
    ]);
  });

  test('422 for 21 questions, and for types that make no sense to a stranger', async () => {
    const many = Array.from({ length: 21 }, () => ({ type: 'text', label: 'What?' }));
    expect(locsOf(await create({ name: 'Many', questions: many }))).toEqual(['body.questions']);
    const formula = [{ type: 'calculated', label: 'Sum' }];
    expect(locsOf(await create({ name: 'Formula', questions: formula }))).toEqual(['body.questions.0.type']);
  });

  test('422 when translations name a question that a change removes', async () => {
    const category = await newCategory(person, {
      questions: QUESTIONS,
      translations: [{ language: 'de', questions: [{ id: uuid(1), label: 'Wo genau?' }] }],
    });
    expect((await patch(category, { questions: [] })).status).toBe(422);
    expect((await patch(category, { questions: [], translations: [] })).status).toBe(200);
  });

  test('400 for a default assignee who is no active member', async () => {
    const other = await newPerson('Suspended');
    await suspend(other, other.adminId);
    const body = { name: 'Mine', default_assignee_id: other.adminId };
    expect((await other.try.issues.createCategory({ body })).status).toBe(400);
    expect((await create(body)).status).toBe(400);
  });
});

describe('DELETE /issue-categories/{category_id}', () => {
  test('409 while issues are of it; else 204, its name is free, its links end and are deleted', async () => {
    const other = await newPerson('Deleter');
    const used = await newCategory(other, { name: 'Used' });
    await newIssue(other, { category_id: used.id });
    expect((await other.try.issues.deleteCategory(of(used))).status).toBe(409);
    const unused = await newCategory(other, { name: 'Unused' });
    const { token, id } = await newLink(other, {}, unused);
    await other.issues.deleteCategory(of(unused));
    expect((await other.try.issues.getCategory(of(unused))).status).toBe(404);
    const { target } = await followLink(token, 'issue');
    await expect(openLink(visitorOf(other.caller.org_id), target)).rejects.toMatchObject({ status: 404 });
    const task = (await waitingTasks(other.caller)).find(({ outbox }) => outbox === 'cleanup')!;
    expect(await deliver(deleteRemains.handler, task)).toBe(true);
    const { partition } = keys.parts(other.caller, 'ISSUE_CATEGORY', unused.id, 'PUBLIC_LINK');
    expect(await Array.fromAsync(queryRows(other.caller, { partition }))).toEqual([]);
    expect(id).toEqual(target.public_link_id);
    await newCategory(other, { name: 'Unused' });
  });

  test('an issue that is created while its category is deleted: one of the two is refused', async () => {
    for (let times = 0; times < 3; times += 1) {
      const category = await newCategory(person);
      const [created, deleted] = await Promise.allSettled([
        newIssue(person, { category_id: category.id }),
        person.issues.deleteCategory(of(category)),
      ]);
      expect([created.status, deleted.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    }
  });
});

describe('POST /issue-categories/{category_id}/public-links, getPublicLink and updatePublicLink', () => {
  const link = (body: object = {}, category?: At) => newLink(person, body, category);

  test('201 with the token once, without an end; afterwards its first characters; the audit names who made it', async () => {
    const made = await link({ label: 'Stairs' });
    expect(made.token).toMatch(/^[\w-]{22}$/);
    expect(made.url).toMatch(new RegExp(`^http://localhost:\\d+/r/${made.token}$`));
    expect([made.qr_url, made.qr_svg_url]).toEqual([`${made.url}/qr.png`, `${made.url}/qr.svg`]);
    expect(made.expires_at).toBeNull();
    expect(made).toMatchObject({
      label: 'Stairs',
      contact: 'optional',
      status: 'active',
      submissions_count: 0,
    });
    const shown = { ...made, token: made.token.slice(0, 6), url: null, qr_url: null, qr_svg_url: null };
    expect(await person.issues.listPublicLinks({ params: { category_id: made.category_id } })).toEqual([
      shown,
    ]);
    expect(await person.issues.getPublicLink(ofLink(made))).toEqual(shown);
    expect((await auditOf(person)).at(-1)).toMatchObject({
      action: 'public_link.created',
      target_id: made.id,
    });
    expect(
      JSON.stringify(
        await Array.fromAsync(
          queryRows(person.caller, {
            partition: keys.below(person.caller, 'ISSUE_CATEGORY', made.category_id),
          }),
        ),
      ),
    ).not.toContain(made.token);
  });

  test('its place: a location brings its client; 400 for another client', async () => {
    const client = await newClient(person);
    const location_id = (await newLocation(person, client.id)).id;
    expect(await link({ location_id, expires_at: null })).toMatchObject({
      location_id,
      client_account_id: client.id,
      expires_at: null,
    });
    await expect(link({ location_id, client_account_id: (await newClient(person)).id })).rejects.toThrow(
      '400',
    );
  });

  test('the status follows from what was set; what cannot be undone comes first', () => {
    const now = '2030-01-01T00:00:00.000Z';
    const base = {
      revoked_at: null,
      expires_at: null,
      max_submissions: null,
      submissions_count: 3,
      paused_at: null,
    };
    const status = (changes: object) => linkStatus({ ...base, ...changes }, now);
    expect(status({})).toBe('active');
    expect(status({ expires_at: '2030-01-01T00:00:00.001Z', max_submissions: 4 })).toBe('active');
    expect(status({ paused_at: now })).toBe('paused');
    expect(status({ paused_at: now, max_submissions: 3 })).toBe('exhausted');
    expect(status({ max_submissions: 3, expires_at: now })).toBe('expired');
    expect(status({ expires_at: now, revoked_at: now })).toBe('revoked');
  });

  test('200 pauses, resumes and limits it; revoking is for good, and 409 for any change after it', async () => {
    const made = await link();
    expect((await patchLink(made, { is_paused: true })).body).toMatchObject({ status: 'paused', version: 2 });
    expect((await patchLink(made, { is_paused: true })).body).toMatchObject({ version: 2 });
    const past = '2020-01-01T00:00:00Z';
    expect((await patchLink(made, { is_paused: false, expires_at: past })).body.status).toBe('expired');
    expect((await patchLink(made, { expires_at: null, max_submissions: 1 })).body.status).toBe('active');
    expect((await patchLink(made, { label: 'Hall', expected_version: 1 })).status).toBe(409);
    const revoked = await person.issues.revokePublicLink(ofLink(made));
    expect(revoked).toMatchObject({ status: 'revoked', revoked_at: expect.any(String) });
    expect(await person.issues.revokePublicLink(ofLink(made))).toEqual(revoked);
    expect((await patchLink(made, { is_paused: false })).status).toBe(409);
    const query = { status: ['revoked'] };
    const params = { category_id: made.category_id };
    expect(await person.issues.listPublicLinks({ params, query })).toHaveLength(1);
    expect(await person.issues.listPublicLinks({ params, query: { status: ['active'] } })).toEqual([]);
  });
});

describe('report', () => {
  const FORM: IssueSubmission = {
    nonce: '',
    description: '',
    answers: [],
    media: [],
    occurred_at: null,
    reporter: {},
  };
  let nonces = 0;
  const visitor = () => visitorOf(person.caller.org_id);
  const send = (link: PublicLink, form: Partial<IssueSubmission> = {}) => {
    const target = { category_id: link.category_id, public_link_id: link.id };
    return report(visitor(), target, { ...FORM, nonce: `form ${(nonces += 1)}`, ...form });
  };
  const countOf = async ({ id, category_id }: PublicLink): Promise<number> => {
    const links: PublicLink[] = await person.issues.listPublicLinks({ params: { category_id } });
    return links.find((each) => each.id === id)!.submissions_count;
  };

  test('makes an issue at the location that the one of the link is being merged into', async () => {
    const [former, into] = [await newLocation(person), await newLocation(person)];
    const link = await newLink(person, { location_id: former.id });
    await person.locations.merge({ params: { location_id: former.id }, body: { into: into.id } });
    const { issue_id } = await send(link);
    expect((await person.issues.get({ params: { issue_id } })).location_id).toBe(into.id);
  });

  test('makes an issue of the category, at the place of the link, by nobody in particular', async () => {
    const category = await newCategory(person, {
      questions: QUESTIONS,
      sla_hours: 1,
      default_priority: 'high',
    });
    const location_id = (await newLocation(person)).id;
    const made = await newLink(person, { location_id }, category);
    const document_id = await newDocument(person);
    const { issue_id, number } = await send(made, {
      description: '\n Wet floor, near the stairs\nSince noon',
      answers: [{ question_id: uuid(1), value: 'Hall' }],
      media: [{ document_id, caption: '' }],
      reporter: { name: 'Ada' },
    });
    const issue = await issueOf(person, { id: issue_id });
    expect(issue).toMatchObject({
      number,
      title: 'Wet floor, near the stairs',
      status: 'new',
      source: 'public_link',
      public_link_id: made.id,
      reported_by: null,
      reporter: { name: 'Ada', email: null, phone: null },
      category_id: category.id,
      location_id,
      priority: 'high',
      due_at: expect.any(String),
    });
    expect((await historyOf(person, issue))[0]).toMatchObject({ kind: 'created', actor_id: null });
    expect(await countOf(made)).toBe(1);
  });

  test('the title is the category’s name without a description, and short with a long one', async () => {
    const category = await newCategory(person, { name: 'Broken lamp' });
    const made = await newLink(person, {}, category);
    const titleOf = async (description: string) =>
      (await issueOf(person, { id: (await send(made, { description })).issue_id })).title;
    expect(await titleOf(' \n')).toBe('Broken lamp');
    const long = await titleOf('flicker '.repeat(40));
    expect(long).toMatch(/^(flicker )+flicker…$/);
    expect(long.length).toBeLessThanOrEqual(120);
    expect((await titleOf('😀'.repeat(200))).isWellFormed()).toBe(true);
  });

  test('the same form is one issue, however often and concurrently it is sent, and even after the link has ended', async () => {
    const made = await newLink(person, { max_submissions: 2 });
    const same = { nonce: 'twice', description: 'Once' };
    const sent = await Promise.all([send(made, same), send(made, same), send(made, same)]);
    expect(new Set(sent.map(({ issue_id }) => issue_id)).size).toBe(1);
    expect(await countOf(made)).toBe(1);
    await send(made);
    expect(await send(made, same)).toEqual(sent[0]);
    // The nonce of another link’s form says nothing.
    const other = await newLink(person);
    expect((await send(other, same)).issue_id).not.toBe(sent[0].issue_id);
  });

  test('a link takes no more than its maximum, also when many send at once', async () => {
    const made = await newLink(person, { max_submissions: 3 });
    const sent = await Promise.allSettled(Array.from({ length: 6 }, () => send(made)));
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const each of sent) {
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ status: 404 });
    }
    expect(await countOf(made)).toBe(3);
  });

  test('every link that does not work looks like one that never was', async () => {
    const inactive = await newCategory(person);
    const links: PublicLink[] = [
      await newLink(person, { expires_at: '2020-01-01T00:00:00Z' }),
      (await patchLink(await newLink(person), { is_paused: true })).body,
      await person.issues.revokePublicLink(ofLink(await newLink(person))),
      await newLink(person, {}, inactive),
      { ...(await newLink(person)), id: uuid(404) },
    ];
    await patch(inactive, { is_active: false });
    const refusals = await Promise.allSettled(
      links.flatMap((each) => [
        send(each),
        openLink(visitor(), { category_id: each.category_id, public_link_id: each.id }),
      ]),
    );
    const said = refusals.map(
      (each) => each.status === 'rejected' && `${each.reason.status} ${each.reason.message}`,
    );
    expect(new Set(said).size).toBe(1);
    expect(said[0]).toMatch(/^404 /);
  });

  test('422 for a contact that the link requires and for answers, 400 for a document that does not exist', async () => {
    const category = await newCategory(person, { questions: QUESTIONS });
    const made = await newLink(person, { contact: 'required' }, category);
    const answers = [{ question_id: uuid(1), value: 'Hall' }];
    await expect(send(made, { answers, reporter: { name: 'Ada' } })).rejects.toMatchObject({ status: 422 });
    await expect(send(made, { reporter: { phone: '1' } })).rejects.toMatchObject({ status: 422 });
    const media = [{ document_id: uuid(404), caption: '' }];
    await expect(send(made, { answers, media, reporter: { phone: '1' } })).rejects.toMatchObject({
      status: 400,
    });
    await send(made, { answers, reporter: { phone: '1' } });
    expect(await countOf(made)).toBe(1);
  });

  test('a link without contact keeps none; one whose location is gone still works', async () => {
    const location_id = (await newLocation(person)).id;
    const made = await newLink(person, { contact: 'none', location_id });
    await change(person.caller, () => ({
      writes: [write.drop(keys.one(person.caller, 'LOCATION', location_id))],
      reply: undefined,
    }));
    const { issue_id } = await send(made, { reporter: { name: 'Ada' } });
    expect(await issueOf(person, { id: issue_id })).toMatchObject({
      location_id: null,
      reporter: { name: null, email: null, phone: null },
    });
  });
});
