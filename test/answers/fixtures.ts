import { v7 as uuidv7 } from 'uuid';
import * as listAnswers from '../../functions/answers/list-answers.ts';
import * as replaceAnswer from '../../functions/answers/replace-answer.ts';
import * as listFindings from '../../functions/findings/list-findings.ts';
import * as getInspection from '../../functions/inspections/get-inspection.ts';
import * as documents from '../../shared/db/documents/documents.ts';
import { change } from '../../shared/db/table/change.ts';
import { keys } from '../../shared/db/table/keys.ts';
import * as write from '../../shared/db/table/writes.ts';
import type { Finding } from '../../shared/schemas/finding.ts';
import type { AnswerRecord } from '../../shared/schemas/inspections/answer.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { begun } from '../inspections/fixtures.ts';
import { type Answer, call, made } from '../support/call.ts';
import type { Person } from '../support/people.ts';
import { contentWith, field, uuid } from '../templates/fixtures.ts';

export const SECTION = uuid(1);

/** The fields by what tests need them for. */
export const TEXT = uuid(2);
export const NUMBER = uuid(3);
/** Its failing makes a finding. */
export const RAIL = uuid(4);
export const PHOTO = uuid(5);
export const NOTED = uuid(6);
/** One repeat section, one within it, and a plain one within it. */
export const ROOM = uuid(20);
export const ROOM_NAME = uuid(21);
export const DOOR = uuid(30);
export const DOOR_STATE = uuid(31);
export const WALLS = uuid(40);
export const WALLS_STATE = uuid(41);

const auto = { create: 'auto', severity: 'major' };

export const CONTENT = {
  sections: [
    {
      ...contentWith(
        field(2),
        field(3, { type: 'number', min: 0, max: 10 }),
        field(4, { type: 'pass_fail_na', allow_na: true, finding: { ...auto, label: 'Loose rail' } }),
        field(5, { type: 'photo', media: { max: 50 } }),
        field(6, { type: 'yes_no', media: { kinds: ['photo'] } }),
        field(7, { type: 'instruction' }),
      ).sections[0],
    },
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
          fields: [field(31, { type: 'yes_no_na', finding: auto })],
        },
        { id: WALLS, title: 'Walls', fields: [field(41)] },
      ],
    },
  ],
};

/** A started inspection of this content. */
export const answering = (person: Person, body: Record<string, unknown> = {}): Promise<Inspection> =>
  begun(person, { family: { content: CONTENT }, ...body });

type At = { id: string };

export const save = (
  person: Person,
  { id }: At,
  body: object,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  call(replaceAnswer, {
    as: person.key,
    params: { inspection_id: id },
    body: { section_id: SECTION, ...body },
    headers,
  });

/** The record of an answer that must be saved. */
export const saved = (person: Person, { id }: At, body: object): Promise<AnswerRecord> =>
  made(replaceAnswer, {
    as: person.key,
    params: { inspection_id: id },
    body: { section_id: SECTION, ...body },
  });

export const recordsOf = (person: Person, { id }: At, query = {}): Promise<AnswerRecord[]> =>
  made(listAnswers, { as: person.key, params: { inspection_id: id }, query });

export const findingsOf = (person: Person, { id }: At, query = {}): Promise<Finding[]> =>
  made(listFindings, { as: person.key, params: { inspection_id: id }, query });

export const inspectionOf = (person: Person, { id }: At): Promise<Inspection> =>
  made(getInspection, { as: person.key, params: { inspection_id: id } });

/** A document's row, without a file. */
export const newDocument = async ({ caller }: Person, mime_type = 'image/png'): Promise<string> => {
  const id = uuidv7();
  await change(caller, () => ({
    writes: [
      write.put({
        ...keys.one(caller, 'DOCUMENT', id),
        id,
        mime_type,
        title: 'Rail',
        used_by_count: 0,
        version: 1,
      }),
    ],
    reply: null,
  }));
  return id;
};

export const usedBy = async ({ caller }: Person, documentId: string): Promise<number> =>
  (await documents.get(caller, documentId)).used_by_count;

/** A finding as it is once somebody has edited it. */
export const edited = ({ caller }: Person, finding: Finding): Promise<null> =>
  change(caller, () => ({
    writes: [
      write.put({
        ...keys.child(caller, finding.inspection_id, 'FINDING', finding.id),
        ...finding,
        version: finding.version + 1,
      }),
    ],
    reply: null,
  }));
