import { LANGUAGES } from '../../../shared/base/i18n/languages.ts';
import type { Section } from '../../../shared/reports/document/document.ts';
import { wordsOf } from '../../../shared/reports/document/spans.ts';
import type { ReportPayload } from '../../../shared/schemas/reports/report-payload.ts';
import { uuid } from '../../support/content.ts';
import { photosIn } from '../fixtures/documents.ts';
import {
  allFieldTypes,
  CASES,
  compared,
  corrected,
  extinguishers,
  failedByCriticalItem,
  failedBySection,
  findingsWithActions,
  instances,
  LONG_ANSWER,
  longAnswers,
  manyPhotos,
  manyQuestions,
  passed,
  unfinished,
  wideInstances,
} from '../fixtures/hard-cases.ts';
import { LEAD, reportPayload } from '../fixtures/material.ts';
import { anchorsOf, blockOf, documentOf, itemsOf, sectionsOf, tablesOf, textsOf, words } from './support.ts';

/** The contrast of two colours, from 1 to 21 (WCAG 2.2). */
const contrast = (...colors: [string, string]): number => {
  const [dark = 0, light = 0] = colors
    .map((color) =>
      [1, 3, 5]
        .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
        .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4))
        .reduce((sum, share, index) => sum + share * [0.2126, 0.7152, 0.0722][index]!, 0),
    )
    .toSorted((one, other) => one - other);
  return (light + 0.05) / (dark + 0.05);
};

describe('buildDocument', () => {
  test.each(Object.entries(CASES))(
    '%s: every anchor is unique, and every link leads to one',
    (_name, payloadOf) => {
      const document = documentOf(payloadOf());
      const { defined, wanted } = anchorsOf(document);
      expect(new Set(defined).size).toBe(defined.length);
      expect(wanted.filter((anchor) => !defined.includes(anchor))).toEqual([]);
      expect(defined.filter((anchor) => !/^[a-z0-9-]+$/.test(anchor))).toEqual([]);
    },
  );

  test('a report that compares has the earlier answers beside these, in a table below the row', () => {
    const document = documentOf(compared());
    expect(blockOf(document, 'sections').comparedWith).toBe(
      'Before: No. 977 · Kitchen, at the handover · 18.09.2025',
    );
    const items = sectionsOf(document).flatMap(itemsOf);
    const before = items.map(({ before: then }) => then && [words(then.answer).join(), then.isFailed]);
    expect(before.slice(0, 4)).toEqual([
      ['Pass', false],
      ['9.1\u00a0°C', true],
      ['Pass', false],
      ['Not answered', false],
    ]);
    expect(items[1]!.before).toMatchObject({
      label: 'Before',
      note: [[{ text: 'The door was left open.' }]],
      photos: [{ label: 'Photo 2' }],
    });
    const [table] = sectionsOf(document).flatMap(tablesOf);
    expect(words(table!.rows[0]!.remarks).join('\n')).toContain('Before: Fail – The seal was broken.');
  });

  test('a report of the same inspection without that option has none of them', () => {
    const { layout, ...payload } = compared();
    const blocks = layout.blocks.map((block) => ({ ...block, options: {} }));
    const document = documentOf({ ...payload, layout: { ...layout, blocks } });
    expect(blockOf(document, 'sections').comparedWith).toBeNull();
    expect(textsOf(document).join(' ')).not.toContain('The door was left open.');
  });

  test('an unfinished inspection is a draft without a verdict', () => {
    const document = documentOf(unfinished());
    expect(document.draft).toBe('Draft');
    expect(document.cover?.verdict).toBeNull();
    expect(blockOf(document, 'summary')).toMatchObject({
      verdict: null,
      notice: expect.stringContaining('not completed'),
    });
    const score = blockOf(document, 'score');
    expect(score.rows.map(({ result }) => result)).toEqual([null, null]);
    expect(score.columns.at(-1)).toBe('');
  });

  test('a verdict says which critical item failed it, with a link to the item, and what has changed', () => {
    const { verdict, score } = blockOf(documentOf(failedByCriticalItem()), 'summary');
    expect(verdict?.chip.text).toBe('Failed');
    expect(verdict?.reasons).toEqual([
      [
        { text: 'A critical item failed: ' },
        { text: 'Food temperatures › 1.1 Chilled food is held at ≤ 5 °C', to: 'item-1' },
      ],
    ]);
    expect(score?.change).toBe('−16.7 points since 18.09.2025');
  });

  test('a verdict says which section and total were below which passing score', () => {
    const { verdict } = blockOf(documentOf(failedBySection()), 'summary');
    expect(words(verdict!.reasons)).toEqual([
      'Food temperatures scored 50%; 90% is required.',
      'The total is 50%; 80% is required.',
    ]);
  });

  test('repeats whose fields fit are one table, a failed cell marked, with links both ways', () => {
    const document = documentOf(instances(200));
    const [section] = sectionsOf(document);
    const [table] = tablesOf(section!);
    expect(table?.columns).toEqual(['Identifier', 'Place', 'Seal intact', 'Pressure', 'Next service']);
    expect(table?.rows).toHaveLength(200);
    const failed = table!.rows[3]!;
    expect(failed.cells.map(({ text, isFailed }) => [wordsOf(text), isFailed])).toEqual([
      ['Floor 4, stairwell A', false],
      ['Fail', true],
      ['12.5\u00a0bar', false],
      ['01.03.2027', false],
    ]);
    expect(words(failed.remarks)).toEqual(['Seal intact: The seal is broken. · Finding 1']);
    const [first] = blockOf(document, 'findings').findings;
    expect(first?.place).toEqual([{ text: 'Extinguishers EXT-1004 › Seal intact', to: failed.anchor }]);
    expect(section?.counts).toBe('1,000 items · 17 failed');
  });

  test('wide repeats are blocks one level below their section, and questions keep their numbers in each', () => {
    const sections = sectionsOf(documentOf(wideInstances()));
    expect(sections.map(({ number, title, level }) => [number, title, level])).toEqual([
      ['1', 'Storage', 1],
      ['1.2', 'Cold room', 2],
      ['', 'Cold room A', 3],
      ['1.2.6', 'Samples', 4],
      ['', 'Cold room B', 3],
      ['1.2.6', 'Samples', 4],
    ]);
    const numbers = itemsOf(sections[2]!).map(({ number }) => number);
    expect(numbers).toEqual(['1.2.1', '1.2.2', '1.2.3', '1.2.4', '1.2.5', '']);
    expect(sections[4]!.answeredBy).toBe('Answered by Zofia Wiśniewska on 14.03.2026, 10:12');
    expect(itemsOf(sections[4]!)[4]?.answeredBy).toBe(
      'Answered by Γιώργος Παπαδόπουλος on 14.03.2026, 10:12',
    );
  });

  test('an answer that was given offline shows the time at which it was given', () => {
    const payload = wideInstances();
    const rooms = payload.sections[0]!.sections.flatMap(({ instances: all }) => all ?? []);
    for (const field of rooms.flatMap(({ fields }) => fields))
      field.client_answered_at = '2026-03-12T15:30:00.000Z';
    expect(itemsOf(sectionsOf(documentOf(payload))[4]!)[4]?.answeredBy).toBe(
      'Answered by Γιώργος Παπαδόπουλος on 12.03.2026, 16:30',
    );
  });

  test('numbers have no gaps when items that are not applicable are left out', () => {
    const payload = manyQuestions(300);
    payload.layout.include.na = false;
    payload.layout.include.unanswered = false;
    const document = documentOf(payload);
    for (const section of sectionsOf(document)) {
      const items = itemsOf(section);
      expect(items.map(({ number }) => number)).toEqual(items.map((_, n) => `${section.number}.${n + 1}`));
    }
    expect(textsOf(document)).not.toContain('Not answered');
  });

  test('question numbers of the template are taken, and start answers have none', () => {
    const sections = sectionsOf(documentOf(corrected()));
    expect(sections.map(({ number, title }) => [number, title])).toEqual([
      ['', 'Inspection details'],
      ['1', 'Food temperatures'],
      ['2', 'Personal hygiene'],
      ['3', 'Signatures'],
    ]);
    expect(itemsOf(sections[0]!)[0]).toMatchObject({ number: '', question: 'Guests present' });
    expect(itemsOf(sections[1]!)[0]).toMatchObject({
      number: '1.1',
      question: 'Chilled food is held at ≤ 5 °C',
    });
  });

  test('long answers keep their paragraphs and flow over the full width', () => {
    const item = sectionsOf(documentOf(longAnswers()))
      .flatMap(itemsOf)
      .find(({ isLong }) => isLong)!;
    expect(item.answer.length).toBeGreaterThan(5);
    expect(words(item.answer).join('').replaceAll(/\s/g, '')).toBe(LONG_ANSWER.replaceAll(/\s/g, ''));
  });

  test('every type of answer reads like a person wrote it', () => {
    const [, answered, notApplicable] = sectionsOf(documentOf(allFieldTypes()));
    const read = itemsOf(answered!).map(({ question, answer }) => [
      question.slice(10),
      words(answer).join(' / '),
    ]);
    expect(Object.fromEntries(read)).toEqual({
      text: 'Behind the bar',
      long_text: 'First paragraph. / Second paragraph,\nwith a line break.',
      barcode: '0012345678905',
      number: '1,234,567.891\u00a0kg',
      slider: '70',
      rating: '4 of 5',
      temperature: '-18.5\u00a0°C',
      yes_no: 'Yes',
      checkbox: 'No',
      yes_no_na: 'No',
      pass_fail_na: 'Pass',
      single_select: 'Amber',
      multi_select: 'Red and Amber',
      date: '02.03.2026',
      time: '14:05',
      datetime: '02.03.2026, 14:05',
      photo: '',
      video: '',
      audio: '',
      file: '',
      drawing: '',
      signature: 'Zofia Wiśniewska',
      geo_point: '54.51890,\u00a018.53050 (±8\u00a0m)',
      address: '1600 Amphitheatre Parkway\nBuilding 40\nMountain View, CA 94043\nUnited States',
      member: 'Zofia Wiśniewska',
      client_account: 'Złota Kaczka Sp. z o.o.',
      location: 'Główna kuchnia / ul. Świętojańska 12\n81-372 Gdynia\nPoland / Map',
      reference: 'Supplier 1024',
      calculated: '42\u00a0m²',
      instruction: '',
    });
    expect(itemsOf(answered!).find(({ question }) => question.endsWith('single_select'))?.swatch).toBe(
      '#b54708',
    );
    const absent = itemsOf(notApplicable!).filter(({ isInstruction }) => !isInstruction);
    expect(
      absent
        .filter(({ question }) => !question.endsWith('calculated'))
        .flatMap(({ answer }) => words(answer)),
    ).toEqual(Array.from({ length: 28 }, () => 'Not applicable'));
  });

  test('findings hold their actions with people, dates, status and photos before and after', () => {
    const document = documentOf(findingsWithActions());
    const [warm] = blockOf(document, 'findings').findings;
    expect(warm).toMatchObject({ number: '1', reference: 'No. 4712', anchor: 'finding-1' });
    const [late, pending] = warm!.actions;
    expect(late?.chips.map(({ text }) => text)).toEqual(['Open · Overdue', 'Critical priority']);
    expect(pending?.facts.map(({ name, value }) => [name, ...words(value)])).toEqual([
      ['Assigned to', 'Γιώργος Παπαδόπουλος'],
      ['Due', '28.03.2026, 17:00'],
      ['Completed', '14.03.2026, 11:00 by Γιώργος Παπαδόπουλος'],
    ]);
    expect([pending?.before?.photos.length, pending?.after?.photos.length]).toEqual([1, 1]);
    expect(pending?.files).toMatchObject([
      { name: 'Certificate of calibration 2026.pdf', kind: 'PDF document, 346 kB' },
    ]);
    const [item] = itemsOf(sectionsOf(document)[0]!);
    expect(item?.findings).toEqual([{ text: 'Finding 1', to: 'finding-1' }]);
    const causes = warm!.texts.find(({ heading }) => heading === 'Root cause')!.paragraphs[0]!;
    expect(causes.filter(({ href }) => href).map(({ href }) => href)).toEqual([
      'https://example.com/guide',
      'tel:+48581234567',
    ]);
  });

  test('a correction says who, when and why, and each old and new value; signatures from before it say so', () => {
    const document = documentOf(corrected());
    const [correction] = blockOf(document, 'corrections').corrections;
    expect(
      correction?.changes.map(({ place, before, after, by }) => [
        wordsOf(place),
        words(before),
        words(after),
        by,
      ]),
    ).toEqual([
      [
        'Food temperatures › 1.2 Temperature of walk-in refrigerator 2',
        ['9.1\u00a0°C', 'Note: As displayed'],
        ['4.1\u00a0°C', 'Note: By probe'],
        '15.03.2026, 09:30 by Zofia Wiśniewska',
      ],
      [
        'Food temperatures › 1.3 Hot food is held at ≥ 63 °C',
        ['Not applicable'],
        ['Pass'],
        '15.03.2026, 09:30 by Zofia Wiśniewska',
      ],
      ['Guests present', ['14'], ['41'], '15.03.2026, 09:30 by Zofia Wiśniewska'],
    ]);
    expect(blockOf(document, 'signatures').signatures.map(({ label, remark }) => [label, remark])).toEqual([
      ['Responsible person on site', 'Given before correction 1'],
      ['Sign-off', 'Given before correction 1'],
      ['Sign-off', 'The probe was not calibrated. · Given before correction 1'],
    ]);
  });

  test('a refusal to sign says who refused, for which company and why, and draws no signature', () => {
    expect(blockOf(documentOf(corrected()), 'signatures').signatures.at(-1)).toMatchObject({
      name: 'Ömer Şahin, Şahin Soğutma',
      signed: 'Refused to sign on 14.03.2026, 12:50',
      image: null,
      typed: null,
    });
  });

  test('a correction that awaits approval says so, and names the fields of the setup that it changes', () => {
    const corrections = blockOf(documentOf(corrected()), 'corrections').corrections;
    const facts = corrections.map((each) => each.facts.map(({ name, value }) => [name, ...words(value)]));
    expect(facts).toEqual([
      [
        ['Opened', '15.03.2026, 09:00 by Zofia Wiśniewska'],
        ['Closed', '15.03.2026, 10:00 by Zofia Wiśniewska'],
        ['Approved', '15.03.2026, 11:00 by Şükrü Yıldız'],
      ],
      [
        ['Opened', '15.03.2026, 09:02 by Zofia Wiśniewska'],
        ['Closed', '15.03.2026, 10:00 by Zofia Wiśniewska'],
        ['Status', 'Awaiting approval'],
      ],
    ]);
    const changes = corrections[1]!.changes.map(({ place, before, after }) => [
      wordsOf(place),
      words(before),
      words(after),
    ]);
    expect(changes.map(([place]) => place)).toEqual([
      'Name',
      'Location',
      'Scheduled for',
      'Participants',
      'Finding',
    ]);
    expect(changes[2]).toEqual(['Scheduled for', ['14.03.2026, 09:00'], ['–']]);
    expect(changes[4]).toEqual(['Finding', ['–'], ['The door does not close']]);
  });

  test('a change of a field that only a newer release knows shows its name, and its values as they are', () => {
    const at = '2026-03-15T08:00:00.000Z';
    const id = uuid(1);
    const changeTo = (field_id: string, value: unknown) => ({
      id,
      correction_id: id,
      sequence: 1,
      answer_source: 'setup' as const,
      field_id,
      section_id: null,
      instance_path: '',
      previous_value: null,
      value,
      previous_note: '',
      note: '',
      previous_is_na: false,
      is_na: false,
      changed_by: LEAD,
      changed_at: at,
    });
    const payload = reportPayload(
      {},
      {
        corrections: [
          {
            id,
            reason: 'Storm',
            status: 'closed',
            opened_by: LEAD,
            created_at: at,
            closed_by: LEAD,
            closed_at: at,
          },
        ],
        revisions: [changeTo('weather', { sky: 'grey' }), changeTo('toString', 'high')],
      },
    );
    const [correction] = blockOf(documentOf(payload), 'corrections').corrections;
    expect(correction!.changes.map(({ place, after }) => [wordsOf(place), words(after)])).toEqual([
      ['weather', ['{"sky":"grey"}']],
      ['toString', ['high']],
    ]);
  });

  test('a signature and an approval that a key gave for a member say for whom, and through which key', () => {
    const payload = corrected();
    const acting = { name: 'Ada Lovelace', key_name: 'Field app' };
    const document = documentOf({
      ...payload,
      signatures: payload.signatures.map((each, n) => (n === 1 ? { ...each, signed_for: acting } : each)),
      corrections: payload.corrections.map((each, n) =>
        n === 0 ? { ...each, approved_for: { ...acting, name: null } } : each,
      ),
    });
    const [direct, signed] = blockOf(document, 'signatures').signatures;
    expect(direct!.signed).not.toContain('via');
    expect(signed!.signed).toMatch(/^Signed on .* · For Ada Lovelace via Field app$/);
    const [correction] = blockOf(document, 'corrections').corrections;
    expect(words(correction!.facts.at(-1)!.value)).toEqual([
      '15.03.2026, 11:00 · For (deleted) via Field app',
    ]);
  });

  test('a repeat of up to ten short columns is one table, on a page of its own where it needs one', () => {
    const tableOf = (payload: ReportPayload) => tablesOf(sectionsOf(documentOf(payload))[0]!)[0];
    const table = tableOf(extinguishers(12))!;
    expect(table.isWide).toBe(true);
    expect([table.columns.length, table.rows.length]).toEqual([10, 12]);
    expect(table.rows[2]!.cells.at(-1)!.photos.map(({ label }) => label)).toEqual(['Photo 3']);
    const lying = extinguishers(12);
    lying.layout.orientation = 'landscape';
    expect(tableOf(lying)!.isWide).toBe(false);
    // Few instances are not worth a page of their own, and a long text does not fit into a column.
    expect(tableOf(extinguishers(7))).toBeUndefined();
    expect(tableOf(extinguishers(12, { isLong: true }))).toBeUndefined();
  });

  test('an instance has a title for the pages that it goes on to, in the language of the report', () => {
    const [section] = sectionsOf(documentOf(extinguishers(7, { language: 'de' })));
    const [instance] = section!.parts as Section[];
    expect([section!.continued, instance!.continued]).toEqual([null, 'EXT-1001 (Fortsetzung)']);
  });

  test.each(Object.entries(CASES))('%s: no photo is printed a third time', (_name, make) => {
    for (const kind of ['sections', 'media'] as const) {
      const payload = make();
      payload.layout.blocks.push({ kind, options: {} });
      const { blocks, appendix, photos } = documentOf(payload);
      const printed = photosIn([blocks.map((block) => ({ ...block, elsewhere: [] })), appendix?.photos]);
      for (const { reference, size } of photos) {
        const prints = printed.filter((photo) => photo.reference === reference && !photo.isRepeated);
        expect(prints.length).toBeLessThanOrEqual(2);
        if (size) expect(prints.length).toBe(2);
      }
    }
  });

  test('the photos of the summary are named in the appendix, with a link to where they are', () => {
    const { appendix } = documentOf(extinguishers(36));
    expect(appendix!.elsewhere.map(({ label, from }) => [label, from])).toEqual([
      ['Photo 1', 'finding-1'],
      ['Photo 2', 'finding-2'],
      ['Photo 3', 'finding-3'],
    ]);
    expect(appendix!.photos.map(({ label }) => label)).toEqual(
      Array.from({ length: 15 }, (_, n) => `Photo ${n + 4}`),
    );
  });

  test.each(['#ffcc00', '#ffffff', '#7fdbff', '#1466b8'])(
    'the colour %s is dark enough to be read on white, and on the light areas of the same colour',
    (primary_color) => {
      const payload = passed();
      payload.layout.theme.primary_color = primary_color;
      const { color, tint } = documentOf(payload);
      expect(contrast(color, '#ffffff')).toBeGreaterThanOrEqual(4.5);
      expect(contrast(color, tint)).toBeGreaterThanOrEqual(4.5);
    },
  );

  test('the appendix has four photos on a page, or as many as the layout says', () => {
    const payload = extinguishers(12);
    expect(documentOf(payload).appendix!.perPage).toBe(4);
    payload.layout.photos_per_page = 6;
    expect(documentOf(payload).appendix!.perPage).toBe(6);
  });

  test('photos are numbered from 1 in the order of the record, each once in the appendix', () => {
    const document = documentOf(manyPhotos(60));
    const labels = document.appendix!.photos.map(({ label }) => label);
    expect(labels).toEqual(Array.from({ length: 62 }, (_, n) => `Photo ${n + 1}`));
    const first = itemsOf(sectionsOf(document)[0]!)[0]!;
    expect(first.photos[0]).toMatchObject({
      label: 'Photo 1',
      from: first.anchor,
      alt: 'Photo 1: View 1 from the door',
    });
    const last = itemsOf(sectionsOf(document)[0]!).at(-1)!;
    expect(last.files).toMatchObject([{ name: 'door.mp4', kind: 'Video, 23.5 MB', href: null }]);
  });

  test('without answered_by, notes and media in the layout, none of them is shown', () => {
    const payload = findingsWithActions();
    payload.layout.include = { unanswered: true, na: true, notes: false, media: false, answered_by: false };
    const document = documentOf(payload);
    expect(document.appendix).toBeNull();
    expect(sectionsOf(document).map(({ answeredBy }) => answeredBy)).toEqual([null, null]);
    expect(
      sectionsOf(document)
        .flatMap(itemsOf)
        .filter(({ note, photos }) => note ?? photos[0]),
    ).toEqual([]);
  });

  test('a block that has nothing to show is left out, and links lead only to what is shown', () => {
    const payload = findingsWithActions();
    payload.layout.blocks = [
      { kind: 'corrective_actions', options: {} },
      { kind: 'corrections', options: {} },
    ];
    const document = documentOf(payload);
    expect(document.blocks.map(({ kind }) => kind)).toEqual(['corrective_actions']);
    expect(anchorsOf(document).wanted).toEqual(['block-1']);
  });

  test('a stored report can be verified, a preview not', () => {
    const payload = passed();
    expect(documentOf(payload).closing.qr).toBe(`urn:uuid:${payload.report.id}?=sha256=${'ab'.repeat(32)}`);
    expect(documentOf(payload, null).closing).toMatchObject({ hash: null, qr: null });
  });

  test.each(LANGUAGES)('in %s no name in braces is left, and right-to-left where it is', (language) => {
    for (const payloadOf of [
      findingsWithActions,
      corrected,
      unfinished,
      failedByCriticalItem,
      allFieldTypes,
    ]) {
      const document = documentOf(payloadOf(language));
      const left = textsOf(document).filter(
        (text) => /\{\w+\}/.test(text) && text !== document.running.pageOf,
      );
      expect(left).toEqual([]);
      expect(document.direction).toBe(language === 'ar' || language === 'he' ? 'rtl' : 'ltr');
    }
  });

  test('3,000 questions are a document in a moment', () => {
    expect(sectionsOf(documentOf(manyQuestions(3_000))).flatMap(itemsOf)).toHaveLength(3_000);
  });

  it('titles a finding by its question without the number that the question brings', () => {
    const payload = findingsWithActions();
    const [first, , third] = payload.findings;
    const titled = { ...first!, field_number: '22', label: '22. Proper cold holding' };
    const other = { ...third!, field_number: null, label: '2) Emergency exit locked' };
    const document = documentOf({ ...payload, findings: [titled, other] });
    const titles = ['Proper cold holding', '2) Emergency exit locked'];
    expect(blockOf(document, 'findings').findings.map(({ title }) => title)).toEqual(titles);
    expect(blockOf(document, 'summary').worst!.findings.map(({ title }) => title)).toEqual(titles);
    const [action] = blockOf(document, 'corrective_actions').rows;
    expect(action!.finding[0]!.text).toBe('Finding 1: Proper cold holding');
  });

  it('marks a finding that repeats an earlier one', () => {
    const payload = findingsWithActions();
    const [first, second] = payload.findings;
    const repeat = { count: 2, previous_finding_id: first!.id, first_at: payload.report.generated_at };
    const document = documentOf({ ...payload, findings: [{ ...first!, repeat }, second!] });
    expect(
      blockOf(document, 'findings').findings.map(({ chips }) =>
        chips.map(({ text }) => text).includes('Repeated'),
      ),
    ).toEqual([true, false]);
  });

  it('says of a finding that it was put right, and names it last among the most severe', () => {
    const payload = findingsWithActions();
    const [first, , third] = payload.findings;
    const cleared = { ...payload, findings: [{ ...first!, trigger_cleared: true }, third!] };
    const document = documentOf(cleared);
    const findings = blockOf(document, 'findings');
    expect(
      findings.findings.map(({ chips }) => chips.map(({ text }) => text).includes('No longer applies')),
    ).toEqual([true, false]);
    const summary = blockOf(document, 'summary');
    expect(
      summary.worst!.findings.map(({ number, chips }) => [number, ...chips.map(({ text }) => text)]),
    ).toEqual([
      ['3', 'Observation'],
      ['1', 'Critical', 'No longer applies'],
    ]);
    const resolved = { ...payload, findings: [{ ...first!, status: 'resolved' as const }] };
    expect(
      blockOf(documentOf(resolved), 'summary').worst!.findings[0]!.chips.map(({ text }) => text),
    ).toEqual(['Critical', 'Resolved']);
  });
});
