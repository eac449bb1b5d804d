import { settlingTask } from '../../shared/inspections/answers/settle-hidden.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import * as write from '../../shared/table/writes.ts';
import { contentWith, field, section, uuid } from '../support/content.ts';
import type { Person } from '../support/people.ts';
import { answering, edited, findingsOf, saved, SECTION } from './fixtures.ts';

/** Hides the rail when it is true, as `ROOM_HIDES` does in a room. */
export const HIDES = uuid(60);
/** A failed answer creates a finding with an action. */
export const HIDEABLE = uuid(61);
export const HIDING_ROOM = uuid(62);
export const ROOM_HIDES = uuid(63);

const isNot = (value: unknown, of: object) => ({ ...of, op: 'ne', value });

/** A question that an answer, an answer in a room, or the start answer `kind` hides. */
export const HIDING = {
  start: { fields: [{ key: 'kind', type: 'text', label: 'Kind' }] },
  sections: [
    section(1, [
      field(60, 'yes_no'),
      field(61, 'pass_fail_na', {
        visible_if: {
          all: [
            isNot(true, { field_id: HIDES }),
            isNot(true, { field_id: ROOM_HIDES }),
            isNot('short', { start_key: 'kind' }),
          ],
        },
        finding: { create: 'auto', corrective_action: { title: 'Mend it' } },
      }),
    ]),
    section(62, [field(63, 'yes_no')], { repeat: {} }),
  ],
};

export const hides = (value: boolean) => ({ section_id: SECTION, field_id: HIDES, value });
export const hideable = { section_id: SECTION, field_id: HIDEABLE, value: 'fail' };
export const roomHides = {
  section_id: HIDING_ROOM,
  field_id: ROOM_HIDES,
  instance_path: `${HIDING_ROOM}[0]`,
  value: true,
};

/** An inspection with a failed answer to the question, after these answers. */
export const hidingInspection = async (
  person: Person,
  answers: readonly object[] = [],
  body: object = {},
): Promise<Inspection> => {
  const inspection = await answering(person, { family: { content: HIDING }, ...body });
  for (const each of [...answers, hideable]) await saved(person, inspection, each);
  return inspection;
};

/** The same, after somebody has worked on the finding. */
export const workedInspection = async (person: Person): Promise<Inspection> => {
  const inspection = await hidingInspection(person);
  const [finding] = await findingsOf(person, inspection);
  await edited(person, finding!);
  return inspection;
};

/** Questions that one answer hides, and that one transaction cannot settle. */
const MANY = Array.from({ length: 30 }, (_, n) => 100 + n);

/** An inspection in which many answers fail, and are hidden by `hides(true)`. */
export const crowdedInspection = async (person: Person): Promise<Inspection> => {
  const visible_if = isNot(true, { field_id: HIDES });
  const finding = { create: 'auto', corrective_action: { title: 'Mend it' } };
  const content = contentWith(
    field(60, 'yes_no'),
    ...MANY.map((n) => field(n, 'pass_fail_na', { visible_if, finding })),
  );
  const inspection = await answering(person, { family: { content } });
  const responses = MANY.map((n) => ({ section_id: SECTION, field_id: uuid(n), value: 'fail' }));
  await person.answers.save({ params: { inspection_id: inspection.id }, body: { responses } });
  return inspection;
};

/** Changes the start answer as a request does that is interrupted before the findings follow. */
export const turnedByStart = ({ caller }: Person, { id }: Inspection, kind: string): Promise<null> =>
  change(caller, (work) => ({
    writes: [
      write.update(keys.one(work, 'INSPECTION', id), { set: { start_answers: { kind } } }),
      settlingTask(work, id),
    ],
    reply: null,
  }));
