import fc from 'fast-check';
import { indexContent, resolveInstance } from '../../../../shared/domain/content/content-index.ts';
import { isAnswered } from '../../../../shared/domain/content/values/answer.ts';
import { checkAnswer } from '../../../../shared/domain/content/values/check-answer.ts';
import { isFailed } from '../../../../shared/domain/content/values/comparison.ts';
import { checkMedia } from '../../../../shared/domain/content/values/media.ts';
import { buildPayload } from '../../../../shared/domain/report/build.ts';
import { candidatesFor } from '../../../../shared/domain/report/sample/candidates.ts';
import {
  documentId,
  idOf,
  mediaOf,
  sampleDocuments,
  sampleFileKind,
} from '../../../../shared/domain/report/sample/identities.ts';
import { sampleMaterial } from '../../../../shared/domain/report/sample/material.ts';
import { DEFAULT_LAYOUT } from '../../../../shared/schemas/reports/report-layout-content.ts';
import { ReportPayload } from '../../../../shared/schemas/reports/report-payload.ts';
import { Content, FieldType } from '../../../../shared/schemas/templates/content.ts';
import { anyContent } from '../../../reports/fixtures/any-content.ts';
import { ORGANIZATION } from '../../../reports/fixtures/material.ts';
import { field, section, uuid } from '../../../support/content.ts';
import { runs } from '../../../support/scale.ts';

const SETTING = {
  organization: ORGANIZATION,
  layout: DEFAULT_LAYOUT,
  template: { id: uuid(999), name: 'Kitchen', version_number: 3 },
};

const sampleOf = (content: Content) => sampleMaterial(indexContent(content), SETTING);
type Sample = ReturnType<typeof sampleOf>;

const payloadOf = (sample: Sample) =>
  buildPayload(sample, { id: null, version: 1, generated_at: '2026-03-14T10:00:00.000Z', language: null });

const contentOf = (...sections: object[]) => Content.parse({ sections });
const valuesOf = (sample: Sample, n: number) =>
  sample.answers.filter(({ field_id }) => field_id === uuid(n)).map(({ value }) => value);

/** The answers that could not be saved, or would be changed by that. */
const faultsIn = ({ index, answers, startAnswers }: Sample) => {
  const faults: unknown[] = [];
  const expectSame = (checked: unknown, value: unknown) => {
    if (JSON.stringify(checked) !== JSON.stringify(value)) faults.push({ checked, value });
  };
  for (const { field_id, instance_path, value, is_na, media } of answers) {
    const place = index.fields.get(field_id)!;
    expectSame(checkAnswer(place.field, index, value, { is_na }), { value, is_na });
    if (media) expectSame(checkMedia(place.field, media), { value: media });
    const instance = resolveInstance(index, field_id, undefined, instance_path);
    expectSame('instance_path' in instance && instance.instance_path, instance_path);
  }
  for (const [key, value] of Object.entries(startAnswers)) {
    expectSame(checkAnswer(index.startFields.get(key)!, index, value), { value, is_na: false });
  }
  return faults;
};

describe('sampleMaterial', () => {
  it('has answers that can be saved and give a valid payload, for any content', () => {
    fc.assert(
      fc.property(anyContent, (content) => {
        const sample = sampleOf(content);
        expect(faultsIn(sample)).toEqual([]);
        expect(ReportPayload.safeParse(payloadOf(sample)).error).toBeUndefined();
        expect(sampleOf(content)).toEqual(sample);
      }),
      { numRuns: runs(40) },
    );
  });

  it('answers every type of field', () => {
    const options = [
      { value: 'good', label: 'Good' },
      { value: 'fair', label: 'Fair' },
      { value: 'bad', label: 'Bad', is_failed: true },
    ];
    const fields = FieldType.options.map((type, n) =>
      field(n, type, type.endsWith('_select') ? { options } : {}),
    );
    const { answers, index } = sampleOf(contentOf(section(101, fields)));
    expect(
      new Set(answers.filter(isAnswered).map(({ field_id }) => index.fields.get(field_id)!.field.type)),
    ).toEqual(new Set(FieldType.exclude(['calculated', 'instruction']).options));
  });

  it('stays within limits, and leaves a field unanswered when it has no valid answer', () => {
    const sample = sampleOf(
      contentOf(
        section(101, [
          field(1, 'number', { min: 0.5, max: 2, step: 0.25 }),
          field(2, 'temperature', { max: -18 }),
          field(3, 'text', { max_length: 4 }),
          field(4, 'text', { pattern: '[A-Z]{3}-\\d{3}' }),
          field(5, 'text', { pattern: '(red|green) lamp' }),
          field(6, 'photo', { media: { min: 3 } }),
          field(7, 'number', { min: 1.2, max: 1.8 }),
        ]),
      ),
    );
    expect(faultsIn(sample)).toEqual([]);
    expect([1, 2, 3, 4, 5, 7].map((n) => valuesOf(sample, n).length)).toEqual([1, 1, 1, 1, 0, 1]);
    expect(valuesOf(sample, 6)[0]).toHaveLength(3);
  });

  it('never matches a pattern that cannot be published', () => {
    const patterns = ['(', '.*.*.*.*'];
    const fields = patterns.map((pattern, n) => field(n, 'long_text', { pattern, allow_na: true }));
    const { answers } = sampleOf(contentOf(section(101, fields)));
    expect(answers.filter(({ value }) => value !== null)).toEqual([]);
  });

  it('has failed answers with a note and a photo, and one that is not applicable', () => {
    const fields = Array.from({ length: 20 }, (_, n) => field(n, 'pass_fail_na'));
    const { answers, index } = sampleOf(contentOf(section(101, fields)));
    const failed = answers.filter(({ field_id, value }) =>
      isFailed(index.fields.get(field_id)!.field, index, value),
    );
    expect(failed).toHaveLength(3);
    for (const { note, media } of failed)
      expect([note, media?.length]).toEqual([expect.stringMatching(/\w/), 1]);
    expect(answers.filter(({ is_na }) => is_na)).toHaveLength(1);
  });

  it('has an answer outside a tolerance', () => {
    const within = field(1, 'number', { min: -40, max: 400, fail_if: { op: 'outside', value: [2, 8] } });
    const { answers, index } = sampleOf(contentOf(section(101, [within])));
    expect(isFailed(index.fields.get(uuid(1))!.field, index, answers[0]!.value)).toBe(true);
  });

  it('has two instances of each repeat where that is allowed, nested ones too', () => {
    const sample = sampleOf(
      contentOf(
        section(101, [field(1, 'text')], {
          repeat: {},
          sections: [section(102, [field(2, 'text')], { repeat: { min: 3 } })],
        }),
        section(103, [field(3, 'text')], { repeat: { max: 1 } }),
      ),
    );
    expect([1, 2, 3].map((n) => valuesOf(sample, n).length)).toEqual([2, 6, 1]);
  });

  it('opens a finding by the rule of each failed field, and a manual one without such rules', () => {
    const rule = {
      create: 'auto',
      label: 'Loose rail',
      severity: 'major',
      corrective_action: { title: 'Fix it' },
    };
    const ruled = payloadOf(sampleOf(contentOf(section(101, [field(1, 'pass_fail_na', { finding: rule })]))));
    expect(ruled.findings).toMatchObject([
      {
        label: 'Loose rail',
        severity: 'major',
        origin: 'auto',
        field_label: 'Field 1',
        corrective_actions: [{ title: 'Fix it', is_overdue: false, before: [{}], after: [{}] }],
      },
    ]);
    const free = payloadOf(sampleOf(contentOf(section(101, [field(1, 'text')]))));
    expect(free.findings).toMatchObject([{ label: 'Sample finding', origin: 'manual', section_title: null }]);
  });

  it('leaves out what a condition hides', () => {
    const hidden = { visible_if: { field_id: uuid(1), op: 'eq', value: 'never' } };
    const rule = { finding: { create: 'auto' } };
    const sample = sampleOf(
      contentOf(
        section(101, [field(1, 'text'), field(2, 'pass_fail_na', { ...hidden, ...rule })]),
        section(102, [field(3, 'pass_fail_na', rule)], hidden),
      ),
    );
    expect(sample.answers.map(({ field_id }) => field_id)).toEqual([uuid(1)]);
    expect(sample.findings.map(({ origin }) => origin)).toEqual(['manual']);
  });

  it('answers the start fields', () => {
    const { startAnswers } = sampleOf(
      Content.parse({
        start: {
          fields: [
            { key: 'weather', type: 'text', label: 'Weather' },
            { key: 'guide', type: 'member', label: 'Guide' },
            { key: 'intro', type: 'instruction', label: 'Welcome' },
          ],
        },
      }),
    );
    expect(Object.keys(startAnswers)).toEqual(['weather', 'guide']);
  });

  it('has one instance of each repeat in the largest content', () => {
    const nested = (depth: number): object =>
      section(
        depth,
        Array.from({ length: 1_000 }, (_, n) => field(depth * 1_000 + n, 'pass_fail_na')),
        {
          repeat: {},
          sections: depth < 5 ? [nested(depth + 1)] : [],
        },
      );
    const { answers } = sampleOf(contentOf(nested(1)));
    expect(answers).toHaveLength(5_000);
  });

  describe('the candidates of a field', () => {
    const of = (type: string, more: object = {}) => {
      const index = indexContent(contentOf(section(101, [field(1, type, more)])));
      return candidatesFor(index.fields.get(uuid(1))!.field, index);
    };
    const options = [
      { value: 'good', label: 'Good' },
      { value: 'fair', label: 'Fair' },
      { value: 'ok', label: 'OK' },
      { value: 'bad', label: 'Bad', is_failed: true },
      { value: 'none', label: 'None', is_na: true },
    ];
    const TEXTS = [
      'Checked together with the site manager',
      'Building B, second floor',
      'As agreed at the last visit',
      'Sample',
    ];
    const LONG =
      'Walked through the whole site together with the manager. All areas were accessible.\n\nTwo items were corrected on the spot; what remains open is listed among the findings.';

    it.each<[string, object, unknown[]]>([
      ['text', {}, [...TEXTS, 'A']],
      ['text', { max_length: 24 }, [TEXTS[1], TEXTS[3], 'A']],
      ['text', { max_length: 23 }, [TEXTS[3], 'A']],
      ['text', { max_length: 5 }, ['A']],
      ['long_text', {}, [LONG, ...TEXTS, 'A']],
      ['barcode', {}, ['0012345678905', '1']],
      ['number', {}, [12, 8, 16, 0, 20, 10]],
      ['number', { min: 100 }, [112, 108, 116, 100, 120, 110]],
      ['number', { max: 50 }, [30, 20, 40, 0, 50, 25]],
      ['number', { max: -10 }, [-18, -22, -14, -30, -10, -20]],
      ['number', { min: 1, max: 3, step: 0.5 }, [2, 2, 2.5, 1, 3, 2]],
      ['number', { step: 5 }, [60, 40, 80, 0, 100, 50]],
      ['number', { max: -10, step: 5 }, [-50, -70, -30, -110, -10, -60]],
      ['number', { min: 0.1, max: 0.3, step: 0.1 }, [0.2, 0.2, 0.3, 0.1, 0.3, 0.2]],
      ['slider', {}, [60, 40, 80, 0, 100, 50]],
      ['rating', {}, [3, 3, 4, 1, 5, 3]],
      ['temperature', { fail_if: { op: 'gt', value: 8 } }, [12, 8, 16, 0, 20, 10, 7, 8, 9]],
      [
        'number',
        { step: 0.5, fail_if: { op: 'outside', value: [2, 4] } },
        [6, 4, 8, 0, 10, 5, 1.5, 2, 2.5, 3.5, 4, 4.5],
      ],
      ['yes_no', {}, [true, false]],
      ['checkbox', {}, [true, false]],
      ['yes_no_na', {}, ['yes', 'no', 'na']],
      ['pass_fail_na', {}, ['pass', 'fail', 'na']],
      ['single_select', { options }, ['good', 'fair', 'ok', 'bad', 'none']],
      [
        'multi_select',
        { options },
        [['good', 'fair'], ['fair', 'ok'], ['good'], ['fair'], ['ok'], ['bad'], ['none']],
      ],
      ['date', {}, ['2026-03-02', '2025-11-17', '2027-06-30']],
      ['time', {}, ['09:30', '14:15', '23:00']],
      ['datetime', {}, ['2026-03-02T09:30:00.000Z', '2025-11-18T05:00:00.000Z', '2027-02-12T14:20:00.000Z']],
      ['photo', {}, [mediaOf('photo', 2)]],
      ['photo', { media: { max: 1 } }, [mediaOf('photo', 1)]],
      ['drawing', { media: { min: 3 } }, [mediaOf('drawing', 3)]],
      ['video', {}, [mediaOf('video', 1)]],
      ['audio', {}, [mediaOf('audio', 1)]],
      ['file', {}, [mediaOf('file', 1)]],
      [
        'signature',
        {},
        [{ document_id: documentId('signature') }, { typed: 'Alex Sample' }].map((how) => ({
          signed_name: 'Alex Sample',
          signed_at: '2026-03-02T11:55:00.000Z',
          ...how,
        })),
      ],
      ['geo_point', {}, [{ lat: 51.48, lng: 0, accuracy_m: 8 }]],
      ['address', {}, [{ line1: '12 Harbour Street', postal_code: '1234', city: 'Sampleton' }]],
      ['member', {}, [0, 1, 2].map((n) => idOf('person', n))],
      ['client_account', {}, [idOf('client')]],
      ['location', {}, [idOf('location')]],
      ['reference', {}, [{ source_id: idOf('source'), external_id: 'A-1024', label: 'Sample entry' }]],
      ['calculated', { formula: '1 + 1' }, []],
      ['instruction', {}, []],
    ])('%s with %j', (type, more, expected) => {
      expect(of(type, more)).toEqual(expected);
    });

    it.each([
      ['text', '[A-Z]{3}-\\d{3}', 'ABC-123'],
      ['text', '[^ ]+@[^ ]+', 'sample@example.com'],
      ['text', 'https://.+', 'https://example.com'],
      ['text', '\\+\\d+', '+442079460958'],
      ['text', '\\d{4}-\\d\\d-\\d\\d', '2026-03-02'],
      ['text', '[A-Z][a-z]+ .+', 'Checked together with the site manager'],
      ['barcode', '\\d{13}', '0012345678905'],
      ['barcode', '\\d{8}', '12345678'],
    ])('%s with the pattern %s has %s', (type, pattern, value) => {
      expect(of(type, { pattern })).toContain(value);
      const [answer] = sampleOf(contentOf(section(101, [field(1, type, { pattern })]))).answers;
      expect(answer?.value).toBe(value);
    });
  });

  it('an id is one that nothing real can have, and tells the kind of its file', () => {
    expect([idOf('inspection'), idOf('action', 12)]).toEqual([
      '00000000-0000-7000-8000-000000000000',
      '00000000-0000-7000-8007-000000000012',
    ]);
    expect(
      [documentId('photo'), documentId('photo', 49), documentId('drawing'), documentId('file', 49)].map(
        sampleFileKind,
      ),
    ).toEqual(['photo', 'photo', 'drawing', 'file']);
    expect([idOf('document', 300), idOf('action', 1), uuid(1)].map(sampleFileKind)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(mediaOf('photo', 3)).toEqual([
      { document_id: documentId('photo'), caption: 'Overview' },
      { document_id: documentId('photo', 1), caption: 'Detail' },
      { document_id: documentId('photo', 2), caption: '' },
    ]);
    const documents = sampleDocuments();
    expect(documents.size).toBe(300);
    expect(
      (['photo', 'drawing', 'signature', 'video', 'audio', 'file'] as const).map((kind) =>
        documents.get(documentId(kind, 49)),
      ),
    ).toEqual([
      { file_name: 'photo.jpg', mime_type: 'image/jpeg', size_bytes: 240_000 },
      { file_name: 'drawing.png', mime_type: 'image/png', size_bytes: 60_000 },
      { file_name: 'signature.png', mime_type: 'image/png', size_bytes: 12_000 },
      { file_name: 'video.mp4', mime_type: 'video/mp4', size_bytes: 4_200_000 },
      { file_name: 'recording.m4a', mime_type: 'audio/mp4', size_bytes: 800_000 },
      { file_name: 'document.pdf', mime_type: 'application/pdf', size_bytes: 320_000 },
    ]);
  });

  it('each answer has its time, one of two people, and now and then a note', () => {
    const noted = { note_required_on: ['pass'] };
    const fields = Array.from({ length: 15 }, (_, n) => field(n, 'pass_fail_na', n === 12 ? noted : {}));
    const { answers } = sampleOf(contentOf(section(101, fields)));
    expect(answers.slice(0, 3).map(({ answered_by, answered_at }) => [answered_by, answered_at])).toEqual([
      [idOf('person', 0), '2026-03-02T09:01:00.000Z'],
      [idOf('person', 1), '2026-03-02T09:02:00.000Z'],
      [idOf('person', 0), '2026-03-02T09:03:00.000Z'],
    ]);
    const [failed, seen] = [
      'Not as it should be: to be put right before the next visit.',
      'Seen on site, nothing to add.',
    ];
    expect(
      answers
        .map(({ value, note }, n) => [n, value, note])
        .filter(([, value, note]) => value !== 'pass' || note),
    ).toEqual([
      [2, 'fail', failed],
      [3, 'pass', seen],
      [7, 'na', ''],
      [8, 'fail', failed],
      [10, 'pass', seen],
      [12, 'pass', seen],
      [14, 'fail', failed],
    ]);
    const many = Array.from({ length: 171 }, (_, n) => field(n));
    const times = sampleOf(contentOf(section(101, many))).answers.map(({ answered_at }) => answered_at);
    expect([times[169], times[170]]).toEqual(['2026-03-02T11:50:00.000Z', '2026-03-02T09:01:00.000Z']);
  });

  it('the answers of some types differ from field to field, and those of others do not', () => {
    const three = (type: string, more: object = {}) => {
      const fields = [1, 2, 3, 4].map((n) => field(n, type, more));
      return sampleOf(contentOf(section(101, fields))).answers.map(({ value }) => value);
    };
    expect(three('text')).toEqual([
      'Checked together with the site manager',
      'Building B, second floor',
      'As agreed at the last visit',
      'Checked together with the site manager',
    ]);
    expect(three('number')).toEqual([12, 8, 16, 12]);
    expect(three('slider')).toEqual([60, 40, 80, 60]);
    expect(three('rating')).toEqual([3, 3, 4, 3]);
    expect(three('temperature')).toEqual([12, 8, 16, 12]);
    expect(three('yes_no')).toEqual([true, false, true, false]);
    expect(three('member')).toEqual([0, 1, 2, 0].map((n) => idOf('person', n)));
    expect(three('date')).toEqual(Array(4).fill('2026-03-02'));
    expect(three('checkbox')).toEqual(Array(4).fill(true));
  });

  it('a failed answer has the media that its rule asks for', () => {
    const mediaFor = (media: object | null, type = 'pass_fail_na') =>
      sampleOf(contentOf(section(101, [field(1, type, { media })]))).answers[0]!.media;
    expect(mediaFor(null)).toEqual(mediaOf('photo', 1));
    expect(mediaFor({ min: 2 })).toEqual(mediaOf('photo', 2));
    expect(mediaFor({ kinds: ['video'] })).toEqual(mediaOf('video', 1));
    expect(mediaFor({ kinds: ['audio', 'photo'] })).toEqual(mediaOf('photo', 1));
    expect(mediaFor({ min: 2 }, 'text')).toEqual(mediaOf('photo', 2));
    expect(mediaFor(null, 'text')).toBeUndefined();
    expect(mediaFor({ min: 1 }, 'photo')).toBeUndefined();
  });

  it('is of an inspection that was completed in a morning, by three people', () => {
    const { inspection, names, isDraft } = sampleOf(contentOf(section(101, [field(1)])));
    expect(isDraft).toBe(false);
    const done = { status: 'submitted', submitted_at: '2026-03-02T11:55:00.000Z' };
    expect(inspection).toEqual({
      id: idOf('inspection'),
      number: 1,
      name: 'Kitchen',
      status: 'completed',
      client: { id: idOf('client'), name: 'Sample client' },
      location: {
        id: idOf('location'),
        name: 'Sample site',
        address: {
          lines: ['12 Harbour Street', '1234 Sampleton'],
          city: '',
          region: '',
          postal_code: '',
          country: '',
        },
        position: { lat: 51.48, lng: 0, accuracy_m: null },
      },
      template: SETTING.template,
      participants: [
        { user_id: idOf('person', 1), name: 'Robin Sample', role: 'lead', ...done },
        { user_id: idOf('person', 0), name: 'Alex Sample', role: 'inspector', ...done },
        { user_id: idOf('person', 2), name: 'Kim Sample', role: 'approver', ...done },
      ],
      scheduled_for: '2026-03-02T09:00:00.000Z',
      due_at: '2026-03-02T17:00:00.000Z',
      started_at: '2026-03-02T09:00:00.000Z',
      submitted_at: '2026-03-02T11:55:00.000Z',
      approved_at: '2026-03-02T12:00:00.000Z',
      signed_off_at: null,
      completed_at: '2026-03-02T12:00:00.000Z',
    });
    expect([...names.values()].toSorted()).toEqual([
      'Alex Sample',
      'Kim Sample',
      'Robin Sample',
      'Sample client',
      'Sample site',
    ]);
  });

  it('the findings have numbers, and the first of them an action that is done, with its photos', () => {
    const rule = (finding: object) => ({ finding: { create: 'auto', ...finding } });
    // Of three that can fail, the third and each sixth after it do.
    const never = Array.from({ length: 8 }, (_, n) =>
      field(10 + n, 'pass_fail_na', n === 2 ? rule({ create: 'never' }) : {}),
    );
    const none = sampleOf(contentOf(section(101, never)));
    expect(none.findings.map(({ origin }) => origin)).toEqual(['manual']);
    const fields = Array.from({ length: 21 }, (_, n) =>
      field(
        n,
        'pass_fail_na',
        rule(n === 8 ? { corrective_action: { title: 'Fix it', priority: 'high', due_in_days: 2 } } : {}),
      ),
    );
    const { findings, actions, attachments } = sampleOf(contentOf(section(101, fields)));
    expect(
      findings.map(({ id, number, field_id, label, section_id, origin }) => [
        id,
        number,
        field_id,
        label,
        section_id,
        origin,
      ]),
    ).toEqual(
      [2, 8, 14, 20].map((field, n) => [
        idOf('finding', n),
        n + 1,
        uuid(field),
        `Field ${field}`,
        uuid(101),
        'auto',
      ]),
    );
    expect(
      findings.map(({ content, corrective_actions_count }) => [
        content.root_cause,
        content.media,
        corrective_actions_count,
      ]),
    ).toEqual([
      ['Why it came to this.', mediaOf('photo', 1), 1],
      ['', [], 0],
      ['', [], 0],
      ['', [], 0],
    ]);
    expect(findings[0]).toMatchObject({
      created_at: '2026-03-02T12:00:00.000Z',
      inspection_id: idOf('inspection'),
      content: {
        description: 'What was found, where, and who is exposed to it.',
        recommendation: 'What should be done about it.',
      },
      status: 'open',
      trigger_cleared: false,
      created_by: idOf('person', 0),
    });
    const done = {
      description: 'What is to be done, and how it is known to be done.',
      status: 'pending_verification',
      assignee_id: idOf('person', 0),
      contact: null,
      completed_at: '2026-03-02T12:00:00.000Z',
      completed_by: idOf('person', 0),
      completed_by_contact: false,
      completion_note: 'What was done.',
      verified_at: null,
      verified_by: null,
      verification_note: '',
    };
    expect(actions).toEqual([
      {
        id: idOf('action', 0),
        finding_id: idOf('finding', 0),
        number: 1,
        title: 'Put right: Field 2',
        priority: 'medium',
        due_at: '2026-03-09T12:00:00.000Z',
        ...done,
      },
      {
        id: idOf('action', 1),
        finding_id: idOf('finding', 1),
        number: 2,
        title: 'Fix it',
        priority: 'high',
        due_at: '2026-03-04T12:00:00.000Z',
        ...done,
      },
    ]);
    expect(attachments).toEqual(
      ['before', 'after'].map((stage, n) => ({
        action_id: idOf('action', 0),
        stage,
        document_id: documentId('photo', n + 2),
        caption: '',
      })),
    );
    const manual = sampleOf(contentOf(section(101, [field(1)])));
    expect(manual.findings).toMatchObject([
      {
        label: 'Sample finding',
        severity: 'minor',
        section_id: null,
        field_id: null,
        instance_path: '',
        origin: 'manual',
      },
    ]);
    expect(manual.actions).toMatchObject([{ title: 'Put right: Sample finding' }]);
  });
});
