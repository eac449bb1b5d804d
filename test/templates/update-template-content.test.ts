import { randomBytes } from 'node:crypto';
import * as getTemplate from '../../functions/templates/get-template.ts';
import * as publishTemplate from '../../functions/templates/publish-template.ts';
import * as updateTemplateContent from '../../functions/templates/update-template-content.ts';
import { canonicalJson } from '../../shared/base/canonical-json.ts';
import { sha256 } from '../../shared/db/table/keys.ts';
import { call, made } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { CONTENT, contentWith, draftedFamily, field, locs, publish, tally, uuid } from './fixtures.ts';

describe('PATCH /templates/{template_id}/content', () => {
  let ana: Person;
  let template_id: string;
  beforeAll(async () => {
    installRecorder();
    ana = await newPerson('Ana');
  });
  beforeEach(async () => {
    template_id = (await draftedFamily(ana.key)).draft_version_id!;
  });
  const change = (body: unknown, key = ana.key, headers: Record<string, string> = {}) =>
    call(updateTemplateContent, { as: key, params: { template_id }, body, headers });
  const patch = (...operations: object[]) => change({ operations });
  const standing = () => made(getTemplate, { as: ana.key, params: { template_id } });

  test('200 with the content replaced whole', async () => {
    const before = await standing();
    const { status, body } = await change({ content: contentWith(field(8)) });
    expect(status).toBe(200);
    expect(updateTemplateContent.operation.response.parse(body)).toEqual(body);
    expect(body).toEqual({
      ...before,
      content: {
        ...before.content,
        sections: [{ ...before.content.sections[0], fields: [expect.anything()] }],
      },
      content_version: 2,
      content_hash: sha256(canonicalJson(body.content)),
      version: 2,
      updated_at: body.updated_at,
    });
    expect(await standing()).toEqual(body);
  });

  test('200 with the content patched, defaults filled in', async () => {
    const { status, body } = await patch(
      { op: 'test', path: '/sections/0/title', value: 'Guard rails' },
      { op: 'replace', path: '/sections/0/title', value: 'Rails' },
      {
        op: 'add',
        path: '/sections/0/fields/-',
        value: field(4, { type: 'number', min: 0 }),
        note: 'ignored',
      },
      { op: 'move', from: '/sections/0/fields/0', path: '/sections/0/fields/1' },
      { op: 'remove', path: '/sections/0/fields/0' },
    );
    expect(status).toBe(200);
    expect(body.content_version).toBe(2);
    expect(body.content.sections[0]).toMatchObject({
      title: 'Rails',
      fields: [{ id: uuid(2) }, { id: uuid(4), weight: 1, min: 0, max: null }],
    });
    expect(await standing()).toEqual(body);
  });

  test('200 with the version unmoved where the content comes out the same', async () => {
    const before = await standing();
    for (const body of [{ content: CONTENT }, { operations: [] }]) {
      expect(await change(body)).toMatchObject({ status: 200, body: before });
    }
    const { status, body } = await patch({ op: 'test', path: '/schema_version', value: 1 });
    expect([status, body]).toEqual([200, before]);
  });

  test('200 in three calls, four where a patch needs the content that stands', async () => {
    const whole = await recording(() => change({ content: contentWith(field(8)) }));
    expect(whole.sent.tableCalls - whole.sent.stamps).toBe(2);
    const patched = await recording(() => patch({ op: 'remove', path: '/sections/0/fields/0' }));
    expect(patched.result.status).toBe(200);
    expect(patched.sent.tableCalls - patched.sent.stamps).toBe(3);
  });

  test('200 once for an expected content version, of ten at a time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        change({ content: contentWith(field(n + 10)), expected_content_version: 1 }),
      ),
    );
    expect(tally(answers)).toEqual({ 200: 1, 409: 9 });
    expect(await standing()).toEqual(answers.find(({ status }) => status === 200)!.body);
  });

  test('200 for parallel patches, and all of them stand', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        patch({ op: 'add', path: '/sections/0/fields/-', value: field(n + 10) }),
      ),
    );
    expect(tally(answers)).toEqual({ 200: 8 });
    const { content, content_version } = await standing();
    expect(content_version).toBe(9);
    expect(content.sections[0].fields.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      [2, 3, 10, 11, 12, 13, 14, 15, 16, 17].map(uuid),
    );
  }, 20_000);

  test('404 for a version of another organization', async () => {
    const before = await standing();
    const bo = await newPerson('Bo');
    expect((await change({ content: {} }, bo.key)).status).toBe(404);
    expect(await standing()).toEqual(before);
    template_id = uuid(404);
    expect((await change({ content: {} })).status).toBe(404);
  });

  test('409 once it is published, and the content stays', async () => {
    await publish(ana.key, template_id);
    const before = await standing();
    for (const body of [{ content: {} }, { operations: [{ op: 'remove', path: '/sections/0' }] }]) {
      expect(await change(body)).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining('published') },
      });
    }
    expect(await standing()).toEqual(before);
  });

  test('409 for a test that fails, and no operation is applied', async () => {
    const before = await standing();
    expect(
      await patch(
        { op: 'replace', path: '/sections/0/title', value: 'X' },
        { op: 'test', path: '/sections/0/fields/0/label', value: 'Y' },
      ),
    ).toMatchObject({ status: 409, body: { detail: expect.stringContaining('operations.1') } });
    expect(await standing()).toEqual(before);
  });

  test('409 for another content version, or another version by If-Match', async () => {
    await change({ content: contentWith(field(8)) });
    expect(await change({ operations: [], expected_content_version: 1 })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('content_version 2') },
    });
    expect((await change({ content: {} }, ana.key, { 'If-Match': '"1"' })).status).toBe(409);
    expect(
      (await change({ content: {}, expected_content_version: 2 }, ana.key, { 'If-Match': '"2"' })).status,
    ).toBe(200);
  });

  test('200 for an empty body, which changes nothing', async () => {
    const { body: before } = await change({ operations: [] });
    const { status, body } = await change({});
    expect([status, body]).toEqual([200, before]);
  });

  test.each<[string, object, string[]]>([
    ['both ways at once', { content: {}, operations: [] }, ['body']],
    ['a content that is none', { content: null }, ['body.content']],
    ['an unknown field of the content', { content: { pages: [] } }, ['body.content.pages']],
    ['an operation that is none', { operations: [{ op: 'merge', path: '' }] }, ['body.operations.0.op']],
    [
      'an operation without its value',
      { operations: [{ op: 'add', path: '/x' }] },
      ['body.operations.0.value'],
    ],
    ['a move from nowhere', { operations: [{ op: 'move', path: '/x' }] }, ['body.operations.0.from']],
    ['what is no pointer', { operations: [{ op: 'remove', path: 'sections' }] }, ['body.operations.0.path']],
    ['a wrong escape', { operations: [{ op: 'remove', path: '/~2' }] }, ['body.operations.0.path']],
    [
      'a place that is not there',
      {
        operations: [
          { op: 'test', path: '/schema_version', value: 1 },
          { op: 'remove', path: '/sections/7' },
        ],
      },
      ['body.operations.1.path'],
    ],
    [
      'a source that is not there',
      { operations: [{ op: 'copy', from: '/x', path: '/y' }] },
      ['body.operations.0.from'],
    ],
    [
      'a patched content of the wrong form, every problem of it',
      {
        operations: [
          { op: 'replace', path: '/sections/0/fields/1/type', value: 'tekst' },
          { op: 'remove', path: '/sections/0/title' },
          { op: 'add', path: '/pages', value: [] },
        ],
      },
      ['content.sections.0.fields.1.type', 'content.sections.0.title', 'content.pages'],
    ],
    [
      'an id given twice',
      { operations: [{ op: 'copy', from: '/sections/0/fields/0', path: '/sections/0/fields/-' }] },
      ['content.sections.0.fields.2.id'],
    ],
    ['nothing left', { operations: [{ op: 'remove', path: '' }] }, ['content']],
    ['a content that is a list', { operations: [{ op: 'replace', path: '', value: [] }] }, ['content']],
  ])('422 for %s', async (_, body, expected) => {
    const before = await standing();
    const answer = await change(body);
    expect([answer.status, locs(answer).toSorted()]).toEqual([422, expected.toSorted()]);
    expect(await standing()).toEqual(before);
  });

  test.each<[string, object]>([
    ['a prototype', { op: 'add', path: '/__proto__/polluted', value: true }],
    [
      'the prototype of a free value',
      { op: 'add', path: '/sections/0/fields/0/default_value/__proto__', value: {} },
    ],
    ['a constructor', { op: 'add', path: '/constructor/prototype/polluted', value: true }],
    ['an inherited function', { op: 'copy', from: '/toString', path: '/sections/0/fields/0/default_value' }],
    ['the length of a list', { op: 'replace', path: '/sections/length', value: 4_294_967_295 }],
    ['a list made sparse', { op: 'add', path: '/sections/4294967294', value: {} }],
    [
      'a name of its own',
      { op: 'add', path: '/sections/0/fields/0/default_value', value: JSON.parse('{"__proto__": 1}') },
    ],
  ])('422 for a patch that reaches for %s', async (_, operation) => {
    expect(
      (await patch({ op: 'replace', path: '/sections/0/fields/0/default_value', value: {} }, operation))
        .status,
    ).toBe(422);
    expect({}).not.toHaveProperty('polluted');
  });

  test('422 for a patch that grows without end, in a moment', async () => {
    const target = '/sections/0/fields/0/default_value';
    const startedAt = Date.now();
    for (const copy of [
      { op: 'copy', from: target, path: `${target}/-` },
      { op: 'copy', from: '/sections', path: '/sections/0/fields/0/default_value/0' },
    ]) {
      const answer = await patch(
        { op: 'replace', path: target, value: ['x'.repeat(100)] },
        ...Array.from({ length: 900 }, () => copy),
      );
      expect([answer.status, locs(answer)[0]]).toEqual([
        422,
        expect.stringMatching(/^body\.operations\.\d+\.from$/),
      ]);
    }
    expect(Date.now() - startedAt).toBeLessThan(5_000);
  });

  test('422 for a patch that nests without end', async () => {
    const target = '/sections/0/fields/0/default_value';
    const nest = [
      { op: 'add', path: '/held', value: [] },
      { op: 'move', from: target, path: '/held/0' },
      { op: 'move', from: '/held', path: target },
    ];
    const answer = await patch(...Array.from({ length: 300 }, () => nest).flat());
    expect([answer.status, locs(answer)]).toEqual([422, ['content']]);
  });

  /** Text that gzip makes no shorter than three quarters. */
  const noise = (bytes: number) => randomBytes(bytes).toString('base64').slice(0, 4_900);
  const noisy = (fields: number) =>
    contentWith(...Array.from({ length: fields }, (_, n) => field(n + 2, { help_text: noise(3_675) })));

  test('200 for a content just below the limit, and it can be published; 422 above it', async () => {
    const large = await change({ content: noisy(85) });
    expect(large.status).toBe(200);
    expect(await standing()).toEqual(large.body);
    expect((await call(publishTemplate, { as: ana.key, params: { template_id } })).status).toBe(200);

    template_id = (await draftedFamily(ana.key)).draft_version_id!;
    const before = await standing();
    const tooLarge = await change({ content: noisy(100) });
    expect(tooLarge).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'content'], type: 'too_long', ctx: { max_length: 358_400 } }] },
    });
    expect(await standing()).toEqual(before);
  });

  test('422 for a content that is small compressed, and too long to be answered', async () => {
    const options = Array.from({ length: 1_000 }, (_, n) => ({ value: String(n), label: 'o'.repeat(500) }));
    const sets = Array.from({ length: 9 }, (_, n) => ({ id: uuid(n + 100), name: 'Set', options }));
    await made(updateTemplateContent, {
      as: ana.key,
      params: { template_id },
      body: { content: { ...CONTENT, response_sets: sets.slice(0, 5) } },
    });
    const answer = await patch(
      ...sets.slice(5).map((value) => ({ op: 'add', path: '/response_sets/-', value })),
    );
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['content'], type: 'too_long', ctx: { max_length: 5_000_000 } }] },
    });
  });
});
