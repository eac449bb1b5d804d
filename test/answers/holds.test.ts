import * as errors from '../../shared/base/errors.ts';
import { startedInspection } from '../inspections/fixtures.ts';
import { locs } from '../support/call.ts';
import { field, section, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { draftedFamily } from '../templates/fixtures.ts';

const [SHAFT, POUR] = [uuid(10), uuid(20)];
const [DEPTH, SIGNED, STEEL, WET] = [uuid(11), uuid(12), uuid(15), uuid(21)];
const SIGNATURE = { typed: 'Ann Lee', signed_name: 'Ann Lee' };

/** The pour waits for the signature of the shaft, unless the shaft is dry. */
const CONTENT = {
  start: { fields: [{ key: 'dry', type: 'yes_no', label: 'Dry?' }] },
  sections: [
    section(10, [field(11), field(12, 'signature')], {
      hold: true,
      visible_if: { start_key: 'dry', op: 'ne', value: true },
      sections: [section(14, [field(15)])],
    }),
    section(20, [field(21)]),
  ],
};

let ana: Person;
beforeEach(async () => {
  ana = await newPerson('Ana');
});

const inspected = async (body: object = {}) => {
  const { id } = await startedInspection(ana, { family: { content: CONTENT }, ...body });
  return { params: { inspection_id: id } };
};

const shaft = { section_id: SHAFT, field_id: DEPTH, value: '2 m' };
const steel = { section_id: uuid(14), field_id: STEEL, value: '12 mm' };
const signature = { section_id: SHAFT, field_id: SIGNED, value: SIGNATURE };
const pour = { section_id: POUR, field_id: WET, value: 'Wet' };

describe('a section that holds', () => {
  test('409 for answers of the sections after it until it is signed; those in it are taken', async () => {
    const of = await inspected();
    const put = async (body: object) => ana.try.answers.replace({ ...of, body });
    for (const own of [shaft, steel]) expect((await put(own)).status).toBe(200);
    const refused = await put(pour);
    expect([refused.status, refused.body]).toEqual([
      409,
      { detail: errors.sectionNotSigned('in_progress', 'Section 10').detail },
    ]);
    expect((await put(signature)).status).toBe(200);
    expect((await put(pour)).status).toBe(200);
    await put({ ...signature, value: null });
    expect((await put({ ...pour, value: 'Dry' })).status).toBe(409);
  });

  test('200 for a batch with the signature, in any order', async () => {
    const statusesOf = async (...responses: object[]) => {
      const { results } = await ana.answers.save({ ...(await inspected()), body: { responses } });
      return results.map(({ status }: { status: string }) => status);
    };
    expect(await statusesOf(pour, signature)).toEqual(['saved', 'saved']);
    expect(await statusesOf(pour, shaft)).toEqual(['conflict', 'saved']);
  });

  test('200 where it is hidden', async () => {
    const of = await inspected({ start_answers: { dry: true } });
    expect((await ana.try.answers.replace({ ...of, body: pour })).status).toBe(200);
  });

  test('422 for a publication without a signature field of its own, and in a repeat section', async () => {
    const content = {
      sections: [
        section(1, [field(2)], { hold: true }),
        section(3, [field(4, 'signature')], { hold: true, repeat: {} }),
      ],
    };
    const { draft_version_id } = await draftedFamily(ana.key, { content });
    const params = { template_id: draft_version_id! };
    expect(locs(await ana.try.versions.publishTemplate({ params }))).toEqual([
      'content.sections.0.hold',
      'content.sections.1.hold',
    ]);
  });
});
