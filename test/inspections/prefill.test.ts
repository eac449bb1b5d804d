import * as deleteRemains from '../../functions/workers/delete-remains.ts';
import * as errors from '../../shared/base/errors.ts';
import type { AnswerRecord } from '../../shared/schemas/inspections/answer.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { keys } from '../../shared/table/keys.ts';
import { newDocument } from '../answers/fixtures.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { installFaults, on, sdkError, withFault } from '../support/faults.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { readPdf } from '../support/pdf.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newLayout, publish } from '../templates/fixtures.ts';
import { answer, newInspection, sortKeys, start, startedInspection } from './fixtures.ts';

installFaults();

let person: Person;

const of = ({ id }: { id: string }) => ({ params: { inspection_id: id } });
const [SECTION, TEXT, STATE, TRIGGERED, PHOTO, SIGNATURE] = [1, 2, 3, 4, 5, 6].map(uuid) as [
  string,
  string,
  string,
  string,
  string,
  string,
];

const CONTENT = {
  scoring: { enabled: true, method: 'points', unanswered: 'exclude' },
  ...contentWith(
    field(2, 'text', { required: true }),
    field(3, 'pass_fail_na', { finding: { create: 'auto', label: 'Broken' } }),
    field(4, 'text', { visible_if: { field_id: STATE, op: 'eq', value: 'fail' } }),
    field(5, 'photo'),
    field(6, 'signature'),
  ),
};

/** An inspection with an answer to every field. */
const moveIn = async (): Promise<Inspection> => {
  const inspection = await startedInspection(person, { family: { content: CONTENT } });
  await person.answers.replace({
    ...of(inspection),
    body: { section_id: SECTION, field_id: TEXT, value: 'White walls', note: 'Two coats' },
  });
  await answer(person, inspection, STATE, 'fail');
  await answer(person, inspection, TRIGGERED, 'Handle loose');
  await answer(person, inspection, PHOTO, [{ document_id: await newDocument(person) }]);
  await answer(person, inspection, SIGNATURE, { typed: 'Eve', signed_name: 'Eve' });
  return inspection;
};

const startFrom = (earlier: Inspection): Promise<Inspection> =>
  newInspection(person, {
    template_family_id: earlier.template_family_id,
    prefill_from_inspection_id: earlier.id,
  });

const answersOf = (inspection: { id: string }): Promise<AnswerRecord[]> =>
  person.answers.list(of(inspection));

const shown = async (inspection: { id: string }) =>
  (await answersOf(inspection)).map(({ field_id, value, is_prefilled }) => [field_id, value, is_prefilled]);

const current = (inspection: { id: string }): Promise<Inspection> => person.inspections.get(of(inspection));

beforeAll(async () => {
  person = await newPerson('Landlord');
});

describe('POST /inspections with prefill_from_inspection_id', () => {
  test('201, and the answers stand there as suggestions, without evidence and without effect', async () => {
    const earlier = await moveIn();
    const inspection = await startFrom(earlier);
    expect(inspection.prefill_from_inspection_id).toBe(earlier.id);
    expect(await shown(inspection)).toEqual([
      [TEXT, 'White walls', true],
      [STATE, 'fail', true],
      [TRIGGERED, 'Handle loose', true],
    ]);
    const [text, state, triggered] = await answersOf(inspection);
    expect(text).toMatchObject({ note: 'Two coats', answered_by: null, answered_at: null, version: 1 });
    expect(state).toMatchObject({ is_failed: false });
    expect(triggered).toMatchObject({ is_active: false });
    expect(await current(inspection)).toMatchObject({
      progress: { answered: 0, required: 1 },
      findings_count: 0,
    });
    const { score } = await person.inspections.getScore(of(inspection));
    expect(score).toMatchObject({ percentage: null });
  });

  test('409 to submit what is only prefilled; saving the same value confirms it', async () => {
    const inspection = await startFrom(await moveIn());
    await start(person.key, inspection);
    const refused = await person.try.inspections.advance(of(inspection));
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('1 blocker')]);
    const body = { section_id: SECTION, field_id: TEXT, value: 'White walls', note: 'Two coats' };
    const record = await person.answers.replace({ ...of(inspection), body });
    expect(record).toMatchObject({
      is_prefilled: false,
      version: 2,
      answered_by: person.caller.user_id,
      answered_at: expect.any(String),
    });
    const again = await person.answers.replace({ ...of(inspection), body });
    expect(again).toEqual(record);
    expect((await current(inspection)).progress).toMatchObject({ answered: 1 });
    await person.answers.confirm({ ...of(inspection), body: { field_ids: [STATE] } });
    const { score } = await person.inspections.getScore(of(inspection));
    expect(score).toMatchObject({ percentage: 0 });
    expect((await person.try.inspections.advance(of(inspection))).status).toBe(200);
  });

  test('201 with those answers that another version of the template still takes', async () => {
    const options = ['good', 'worn'].map((value) => ({ value, label: value }));
    const content = (...fields: object[]) => contentWith(field(9), ...fields);
    const earlier = await startedInspection(person, {
      family: {
        content: content(
          field(10),
          field(11, 'single_select', { options }),
          field(12, 'single_select', { options }),
          field(13, 'number'),
          field(14),
        ),
      },
    });
    for (const [n, value] of [
      [9, 'kept'],
      [10, 'a text of many words'],
      [11, 'good'],
      [12, 'worn'],
      [13, 50],
      [14, 'gone'],
    ] as const) {
      await answer(person, earlier, uuid(n), value);
    }
    const family_id = earlier.template_family_id;
    const draft = await person.versions.openDraft({ params: { family_id } });
    await person.versions.updateTemplateContent({
      params: { template_id: draft.id },
      body: {
        content: content(
          field(10, 'text', { max_length: 5 }),
          field(11, 'single_select', { options }),
          field(12, 'single_select', { options: [options[0]!, { value: 'new', label: 'New' }] }),
          field(13, 'number', { max: 10 }),
        ),
      },
    });
    await publish(person.key, draft.id);
    expect(await shown(await startFrom(earlier))).toEqual([
      [uuid(9), 'kept', true],
      [uuid(11), 'good', true],
    ]);
  });

  test('400 for an inspection of another family, of another organization, or none', async () => {
    const { template_family_id } = await newInspection(person);
    const post = async (prefill_from_inspection_id: string) => {
      const body = { template_family_id, prefill_from_inspection_id };
      const { status, body: reply } = await person.try.inspections.create({ body });
      return [status, reply.detail];
    };
    const named = 'prefill_from_inspection_id';
    expect(await post((await newInspection(person)).id)).toEqual([400, errors.otherFamily(named).detail]);
    const stranger = await newPerson('Stranger');
    for (const id of [uuid(99), (await newInspection(stranger)).id]) {
      expect(await post(id)).toEqual([400, errors.referenceNotFound(named).detail]);
    }
  });

  describe('with more answers than a transaction holds', () => {
    const FIELDS = Array.from({ length: 250 }, (_, n) => field(100 + n));
    let earlier: Inspection;

    beforeAll(async () => {
      earlier = await startedInspection(person, { family: { content: contentWith(...FIELDS) } });
      const responses = FIELDS.map(({ id }) => ({ section_id: SECTION, field_id: id, value: `was ${id}` }));
      await person.answers.save({ ...of(earlier), body: { responses } });
    });

    const orphans = async () =>
      (await waitingTasks(person.caller)).filter(
        ({ outbox, data }) => outbox === 'cleanup' && data['inspection_id'],
      );

    test('201 with all of them, and the clean-up finds nothing to delete', async () => {
      const inspection = await startFrom(earlier);
      const all = await answersOf(inspection);
      expect(all).toHaveLength(250);
      expect(
        all.every(({ is_prefilled, value, field_id }) => is_prefilled && value === `was ${field_id}`),
      ).toBe(true);
      const cleanups = await orphans();
      // Long after the end of the request.
      expect(cleanups.map(({ delay_seconds }) => delay_seconds)).toEqual([900]);
      for (const task of cleanups) expect(await deliver(deleteRemains.handler, task)).toBe(true);
      expect(await answersOf(inspection)).toEqual(all);
      const { results } = await person.answers.confirm({ ...of(inspection), body: {} });
      expect(results).toHaveLength(250);
      expect((await current(inspection)).progress.answered).toBe(250);
    });

    test('500 when it breaks off: no inspection is there, and a worker deletes what was written', async () => {
      const before = (await orphans()).length;
      let commits = 0;
      const breakOff = on(
        ({ command }) => command === 'TransactWriteItems' && (commits += 1) === 3,
        async () => {
          throw sdkError('ValidationException');
        },
      );
      const body = { template_family_id: earlier.template_family_id, prefill_from_inspection_id: earlier.id };
      const answered = await withFault(breakOff, () => person.try.inspections.create({ body }));
      expect(answered.status).toBe(500);
      const [task, ...others] = (await orphans()).slice(before);
      expect(others).toEqual([]);
      const id = String(task!.data['inspection_id']);
      expect((await person.try.inspections.get(of({ id }))).status).toBe(404);
      const rows = () => sortKeys(person, keys.below(person.caller, 'INSPECTION', id));
      expect((await rows()).length).toBeGreaterThan(0);
      expect(await deliver(deleteRemains.handler, task!)).toBe(true);
      expect(await rows()).toEqual([]);
    });

    test('204 for a deletion of what is only prefilled', async () => {
      const inspection = await startFrom(earlier);
      expect((await person.try.inspections.delete(of(inspection))).status).toBe(204);
      for (const task of await orphans()) await deliver(deleteRemains.handler, task);
      expect(await sortKeys(person, keys.below(person.caller, 'INSPECTION', inspection.id))).toEqual([]);
    });
  });
});

describe('GET /inspections/{inspection_id}/report-payload of an inspection that was started from another', () => {
  test('200 with both answers when the layout compares, also once the earlier one asks something else', async () => {
    const earlier = await moveIn();
    const inspection = await startFrom(earlier);
    await answer(person, inspection, TEXT, 'Scratched walls');
    const sectionsWith = async (options: object) => {
      const { id } = await newLayout(person.key, earlier.template_family_id, {
        name: `Layout ${JSON.stringify(options)}`,
        blocks: [{ kind: 'sections', options }],
      });
      return person.reports.getPayload({ ...of(inspection), query: { layout_id: id } });
    };
    const alone = await sectionsWith({});
    expect(alone.compared_with).toBeUndefined();
    expect(alone.sections[0].fields[0].before).toBeUndefined();
    const both = await sectionsWith({ before: true });
    expect(both.compared_with).toMatchObject({ id: earlier.id, number: earlier.number });
    const [text, state, photo] = both.sections[0].fields;
    expect(text).toMatchObject({
      answer: { text: 'Scratched walls' },
      before: { answer: { text: 'White walls' }, note: 'Two coats' },
    });
    expect(state).toMatchObject({ answer: null, before: { answer: { kind: 'options' }, is_failed: true } });
    expect(photo).toMatchObject({
      answer: null,
      media: [],
      before: { media: [{ mime_type: 'image/png' }] },
    });
  });

  test('200 in a preview as HTML and as PDF, side by side', async () => {
    const earlier = await moveIn();
    const inspection = await startFrom(earlier);
    await answer(person, inspection, TEXT, 'Scratched walls');
    const { id: layout_id } = await newLayout(person.key, earlier.template_family_id, {
      blocks: [{ kind: 'sections', options: { before: true } }],
    });
    const preview = (format: string) =>
      person.try.reports.getPreview({ ...of(inspection), query: { format, layout_id } });
    const page = (await preview('html')).bytes.toString();
    const printed = (await readPdf((await preview('pdf')).bytes)).pages.join('\n');
    for (const text of [page, printed]) {
      for (const shown of ['Scratched walls', 'White walls', 'Before', 'Two coats'])
        expect(text).toContain(shown);
    }
  });
});
