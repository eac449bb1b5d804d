import { v7 as uuidv7 } from 'uuid';
import * as documents from '../../shared/files/documents.ts';
import { findingChange, findingKey } from '../../shared/inspections/findings/records.ts';
import { inspectionRecords } from '../../shared/inspections/rows/inspection-records.ts';
import type { Finding } from '../../shared/schemas/finding.ts';
import type { AnswerRecord, Instance } from '../../shared/schemas/inspections/answer.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { change } from '../../shared/table/change.ts';
import { getRows, withoutKeys } from '../../shared/table/rows.ts';
import { startedInspection } from '../inspections/fixtures.ts';
import { type Answer } from '../support/call.ts';
import { field, section, uuid } from '../support/content.ts';
import { type Fault, first, on } from '../support/faults.ts';
import type { Person } from '../support/people.ts';

export const SECTION = uuid(1);

/** The fields, named after their use in tests. */
export const TEXT = uuid(2);
export const NUMBER = uuid(3);
/** A failed answer creates a finding. */
export const RAIL = uuid(4);
export const PHOTO = uuid(5);
export const NOTED = uuid(6);
/** A repeat section; inside it another repeat section, and a section that does not repeat. */
export const ROOM = uuid(20);
export const ROOM_NAME = uuid(21);
export const DOOR = uuid(30);
export const DOOR_STATE = uuid(31);
export const WALLS = uuid(40);
export const WALLS_STATE = uuid(41);

const auto = { create: 'auto', severity: 'major' };

export const CONTENT = {
  sections: [
    section(1, [
      field(2),
      field(3, 'number', { min: 0, max: 10 }),
      field(4, 'pass_fail_na', { allow_na: true, finding: { ...auto, label: 'Loose rail' } }),
      field(5, 'photo', { media: { max: 50 } }),
      field(6, 'yes_no', { media: { kinds: ['photo'] } }),
      field(7, 'instruction'),
    ]),
    {
      id: ROOM,
      title: 'Rooms',
      repeat: { max: 300 },
      fields: [field(21)],
      sections: [
        {
          id: DOOR,
          title: 'Doors',
          repeat: { max: 5 },
          fields: [field(31, 'yes_no_na', { finding: auto })],
        },
        { id: WALLS, title: 'Walls', fields: [field(41)] },
      ],
    },
  ],
};

/** A repeat section for the units of a building, which have names and locations. */
export const UNIT = uuid(50);
export const UNIT_NAME = uuid(51);
export const UNIT_PLACE = uuid(52);
/** Failed answers create findings, that of CHECK with an action. */
export const CHECK = uuid(53);
export const DEFECTS = uuid(54);
export const CHECKER = uuid(55);

export const UNITS = {
  sections: [
    {
      id: UNIT,
      title: 'Units',
      repeat: { label_field_id: UNIT_NAME, location_field_id: UNIT_PLACE },
      fields: [
        field(51),
        field(52, 'location'),
        field(53, 'pass_fail_na', {
          finding: {
            create: 'auto',
            label: `{instance} at {field:${UNIT_PLACE}}: {field:${CHECK}}`,
            corrective_action: { title: `Mend {instance} for {field:${CHECKER}}`, evidence_required: true },
          },
        }),
        field(54, 'multi_select', {
          options: [
            { value: 'dust', label: 'Dust', is_failed: true, finding_severity: 'observation' },
            { value: 'crack', label: 'Crack', is_failed: true, finding_severity: 'critical' },
          ],
          finding: { create: 'auto', label: `{field:${DEFECTS}}` },
        }),
        field(55, 'member'),
      ],
    },
  ],
};

/** A started inspection of `CONTENT`. */
export const answering = (person: Person, body: Record<string, unknown> = {}): Promise<Inspection> =>
  startedInspection(person, { family: { content: CONTENT }, ...body });

type At = { id: string };

export const save = (
  person: Person,
  { id }: At,
  body: object,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  person.try.answers.replace({
    params: { inspection_id: id },
    body: { section_id: SECTION, ...body },
    headers,
  });

/** Saves an answer, and fails unless it is saved. @returns its record */
export const saved = (person: Person, { id }: At, body: object): Promise<AnswerRecord> =>
  person.answers.replace({
    params: { inspection_id: id },
    body: { section_id: SECTION, ...body },
  });

/** Reserves a room, or an instance of another section. */
export const reserve = (
  person: Person,
  { id }: At,
  client_instance_id: string,
  body: object = {},
): Promise<Answer> =>
  person.try.answers.createInstance({
    params: { inspection_id: id },
    body: { section_id: ROOM, client_instance_id, ...body },
  });

/** The same, and fails unless it is reserved. */
export const reserved = async (...request: Parameters<typeof reserve>): Promise<Instance> => {
  const { status, body } = await reserve(...request);
  expect([200, 201]).toContain(status);
  return body;
};

/** Lets `meanwhile` happen once, right before the first transaction. */
export const beforeWriting = (meanwhile: () => Promise<unknown>): Fault =>
  on(
    ({ command }) => command === 'TransactWriteItems',
    first(1, async ({ send }) => {
      await meanwhile();
      return send();
    }),
  );

export const recordsOf = (person: Person, { id }: At, query = {}): Promise<AnswerRecord[]> =>
  person.answers.list({ params: { inspection_id: id }, query });

export const findingsOf = (person: Person, { id }: At, query = {}): Promise<Finding[]> =>
  person.findings.list({ params: { inspection_id: id }, query });

export const inspectionOf = (person: Person, { id }: At): Promise<Inspection> =>
  person.inspections.get({ params: { inspection_id: id } });

/** Stores a document's row, without a file. @returns its id */
export const newDocument = async ({ caller }: Person, mime_type = 'image/png'): Promise<string> => {
  const file = { id: uuidv7(), file_name: 'rail.png', mime_type, size_bytes: 1 };
  const texts = { title: 'Rail', description: '', category: '', tags: [] };
  await documents.create(caller, file, texts);
  return file.id;
};

export const usedBy = async ({ caller }: Person, documentId: string): Promise<number> =>
  (await documents.get(caller, documentId)).used_by_count;

/** Changes a finding as an edit does, which leaves all of its fields as they are. */
export const edited = ({ caller }: Person, { inspection_id, id }: Finding): Promise<null> =>
  change(caller, async (work) => {
    const [row, inspection] = await getRows(work, [
      findingKey(work, inspection_id, id),
      inspectionRecords.key(work, inspection_id),
    ]);
    return { writes: findingChange(work, withoutKeys(row!), {}, inspection!).writes, reply: null };
  });
