import * as updateTemplateContent from '../../../functions/templates/versions/update-template-content.ts';
import { canonicalJson, sha256 } from '../../../shared/base/encoding.ts';
import * as errors from '../../../shared/base/errors.ts';
import { as, locs, statusCounts } from '../../support/call.ts';
import { anyBytes } from '../../support/chance.ts';
import { contentWith, field, uuid } from '../../support/content.ts';
import { effort } from '../../support/effort.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { installRecorder, recording } from '../../support/recorder.ts';
import { CONTENT, draftedFamily, publish } from '../fixtures.ts';

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
    as(key).try.versions.updateTemplateContent({ params: { template_id }, body, headers });
  const patch = (...operations: object[]) => change({ operations });
  const current = () => ana.versions.getTemplate({ params: { template_id } });

  test('200 with the new content in place of the old one', async () => {
    const before = await current();
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
    expect(await current()).toEqual(body);
  });

  test('200 with the patched content, its defaults filled in', async () => {
    const { status, body } = await patch(
      { op: 'test', path: '/sections/0/title', value: 'Section 1' },
      { op: 'replace', path: '/sections/0/title', value: 'Rails' },
      {
        op: 'add',
        path: '/sections/0/fields/-',
        value: field(4, 'number', { min: 0 }),
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
    expect(await current()).toEqual(body);
  });

  test('200 with the same version if the content does not change', async () => {
    const before = await current();
    for (const body of [{ content: CONTENT }, { operations: [] }]) {
      expect(await change(body)).toMatchObject({ status: 200, body: before });
    }
    const { status, body } = await patch({ op: 'test', path: '/schema_version', value: 1 });
    expect([status, body]).toEqual([200, before]);
  });

  test('200 in three database calls, or four for a patch, which needs the current content', async () => {
    const whole = await recording(() => change({ content: contentWith(field(8)) }));
    expect(whole.sent.tableCalls - whole.sent.stamps).toBe(2);
    const patched = await recording(() => patch({ op: 'remove', path: '/sections/0/fields/0' }));
    expect(patched.result.status).toBe(200);
    expect(patched.sent.tableCalls - patched.sent.stamps).toBe(3);
  });

  test('200 for one of ten parallel requests that expect the same content version, 409 for the others', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        change({ content: contentWith(field(n + 10)), expected_content_version: 1 }),
      ),
    );
    expect(statusCounts(answers)).toEqual({ 200: 1, 409: 9 });
    expect(await current()).toEqual(answers.find(({ status }) => status === 200)!.body);
  });

  test('200 for parallel patches, and none of them is lost', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        patch({ op: 'add', path: '/sections/0/fields/-', value: field(n + 10) }),
      ),
    );
    expect(statusCounts(answers)).toEqual({ 200: 8 });
    const { content, content_version } = await current();
    expect(content_version).toBe(9);
    expect(content.sections[0].fields.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      [2, 3, 10, 11, 12, 13, 14, 15, 16, 17].map(uuid),
    );
  });

  test('404 for a version of another organization, and for one that does not exist', async () => {
    const before = await current();
    const bo = await newPerson('Bo');
    expect((await change({ content: {} }, bo.key)).status).toBe(404);
    expect(await current()).toEqual(before);
    template_id = uuid(404);
    expect((await change({ content: {} })).status).toBe(404);
  });

  test('409 after the version is published, and the content does not change', async () => {
    await publish(ana.key, template_id);
    const before = await current();
    for (const body of [{ content: {} }, { operations: [{ op: 'remove', path: '/sections/0' }] }]) {
      expect(await change(body)).toMatchObject({
        status: 409,
        body: { detail: errors.notADraft(1, 'published').detail },
      });
    }
    expect(await current()).toEqual(before);
  });

  test('409 if a test operation fails, and no operation is applied', async () => {
    const before = await current();
    expect(
      await patch(
        { op: 'replace', path: '/sections/0/title', value: 'X' },
        { op: 'test', path: '/sections/0/fields/0/label', value: 'Y' },
      ),
    ).toMatchObject({
      status: 409,
      body: { detail: errors.patchTestFailed(1, 'the value at this path is a different one').detail },
    });
    expect(await current()).toEqual(before);
  });

  test('409 if expected_content_version or If-Match names another version', async () => {
    await change({ content: contentWith(field(8)) });
    expect(await change({ operations: [], expected_content_version: 1 })).toMatchObject({
      status: 409,
      body: { detail: errors.contentVersionMismatch(2, 1).detail },
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
    ['a content and operations at once', { content: {}, operations: [] }, ['body']],
    ['null as the content', { content: null }, ['body.content']],
    ['an unknown field of the content', { content: { pages: [] } }, ['body.content.pages']],
    ['an unknown operation', { operations: [{ op: 'merge', path: '' }] }, ['body.operations.0.op']],
    [
      'an operation without its value',
      { operations: [{ op: 'add', path: '/x' }] },
      ['body.operations.0.value'],
    ],
    ['a move without from', { operations: [{ op: 'move', path: '/x' }] }, ['body.operations.0.from']],
    [
      'a path that is not a JSON Pointer',
      { operations: [{ op: 'remove', path: 'sections' }] },
      ['body.operations.0.path'],
    ],
    [
      'an invalid escape in a path',
      { operations: [{ op: 'remove', path: '/~2' }] },
      ['body.operations.0.path'],
    ],
    [
      'a path that does not exist',
      {
        operations: [
          { op: 'test', path: '/schema_version', value: 1 },
          { op: 'remove', path: '/sections/7' },
        ],
      },
      ['body.operations.1.path'],
    ],
    [
      'a from that does not exist',
      { operations: [{ op: 'copy', from: '/x', path: '/y' }] },
      ['body.operations.0.from'],
    ],
    [
      'every problem of a patched content',
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
      'the same id twice',
      { operations: [{ op: 'copy', from: '/sections/0/fields/0', path: '/sections/0/fields/-' }] },
      ['content.sections.0.fields.2.id'],
    ],
    ['a patch that removes the whole content', { operations: [{ op: 'remove', path: '' }] }, ['content']],
    ['a content that is a list', { operations: [{ op: 'replace', path: '', value: [] }] }, ['content']],
  ])('422 for %s', async (_, body, expected) => {
    const before = await current();
    const answer = await change(body);
    expect([answer.status, locs(answer).toSorted()]).toEqual([422, expected.toSorted()]);
    expect(await current()).toEqual(before);
  });

  test.each<[string, object]>([
    ['the prototype of an object', { op: 'add', path: '/__proto__/polluted', value: true }],
    [
      'the prototype of a free value',
      { op: 'add', path: '/sections/0/fields/0/default_value/__proto__', value: {} },
    ],
    [
      'the prototype through its constructor',
      { op: 'add', path: '/constructor/prototype/polluted', value: true },
    ],
    [
      'a value to an inherited function',
      { op: 'copy', from: '/toString', path: '/sections/0/fields/0/default_value' },
    ],
    ['the length of a list', { op: 'replace', path: '/sections/length', value: 4_294_967_295 }],
    ['a list into a sparse one', { op: 'add', path: '/sections/4294967294', value: {} }],
    [
      'an own property named __proto__',
      { op: 'add', path: '/sections/0/fields/0/default_value', value: JSON.parse('{"__proto__": 1}') },
    ],
  ])('422 for a patch that would change %s', async (_, operation) => {
    expect(
      (await patch({ op: 'replace', path: '/sections/0/fields/0/default_value', value: {} }, operation))
        .status,
    ).toBe(422);
    expect({}).not.toHaveProperty('polluted');
  });

  test('422 within seconds for a patch that would grow the content without limit', async () => {
    const target = '/sections/0/fields/0/default_value';
    const begin = effort();
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
    expect(effort() - begin).toBeLessThan(500);
  });

  test('422 for a patch that would nest the content without limit', async () => {
    const target = '/sections/0/fields/0/default_value';
    const nest = [
      { op: 'add', path: '/held', value: [] },
      { op: 'move', from: target, path: '/held/0' },
      { op: 'move', from: '/held', path: target },
    ];
    const answer = await patch(...Array.from({ length: 300 }, () => nest).flat());
    expect([answer.status, locs(answer)]).toEqual([422, ['content']]);
  });

  /** Text that gzip compresses by a quarter at most. */
  const noise = (bytes: number) => anyBytes(bytes).toString('base64').slice(0, 4_900);
  const noisy = (fields: number) =>
    contentWith(
      ...Array.from({ length: fields }, (_, n) => field(n + 2, 'text', { help_text: noise(3_675) })),
    );

  test('200 for a content just below the size limit, which can be published; 422 above it', async () => {
    const large = await change({ content: noisy(85) });
    expect(large.status).toBe(200);
    expect(await current()).toEqual(large.body);
    expect((await ana.try.versions.publishTemplate({ params: { template_id } })).status).toBe(200);

    template_id = (await draftedFamily(ana.key)).draft_version_id!;
    const before = await current();
    const tooLarge = await change({ content: noisy(100) });
    expect(tooLarge).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'content'], type: 'too_long', ctx: { max_length: 358_400 } }] },
    });
    expect(await current()).toEqual(before);
  });

  test('422 for a content that compresses well but is too large for a reply', async () => {
    const options = Array.from({ length: 1_000 }, (_, n) => ({ value: String(n), label: 'o'.repeat(500) }));
    const sets = Array.from({ length: 9 }, (_, n) => ({ id: uuid(n + 100), name: 'Set', options }));
    await ana.versions.updateTemplateContent({
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
