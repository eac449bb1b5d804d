import * as answers from '../../shared/inspections/answers/save.ts';
import { AnswerBatch, NewAnswer } from '../../shared/schemas/inspections/answer.ts';
import { seeded } from '../support/chance.ts';
import { chaos, installFaults, withFault } from '../support/faults.ts';
import { newPerson } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import {
  answering,
  findingsOf,
  inspectionOf,
  newDocument,
  NOTED,
  PHOTO,
  RAIL,
  recordsOf,
  SECTION,
  TEXT,
  usedBy,
} from './fixtures.ts';

installFaults();

describe('answers under concurrency and failure', () => {
  test.each(scaled([1], [1, 2, 3]))(
    'leave counts, findings and uses that agree with the records (history %i)',
    async (seed) => {
      const person = await newPerson(`History ${seed}`);
      const { caller } = person;
      const random = seeded(seed);
      const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
      const inspection = await answering(person);
      const documents = await Promise.all([1, 2, 3].map(() => newDocument(person)));
      const media = () => documents.filter(() => random() < 0.5).map((document_id) => ({ document_id }));
      const answer = () => ({
        section_id: SECTION,
        ...pick([
          { field_id: TEXT, value: pick(['a', 'b', '', null]), media: media() },
          { field_id: RAIL, value: pick(['pass', 'fail', 'fail', 'na', null]) },
          { field_id: PHOTO, value: media() },
          { field_id: NOTED, value: pick([true, null]), media: media() },
        ]),
      });
      const write = async () => {
        try {
          if (random() < 0.7) await answers.replace(caller, inspection.id, NewAnswer.parse(answer()));
          else {
            const { responses } = AnswerBatch.parse({ responses: Array.from({ length: 6 }, answer) });
            await answers.replaceAll(caller, inspection.id, responses);
          }
        } catch (error) {
          expect(error).toMatchObject({ status: 503 });
        }
      };
      const client = async () => {
        for (let turn = 0; turn < 10; turn += 1) await write();
      };
      await withFault(chaos(random, { refused: 0.1, lost: 0.1 }), () =>
        Promise.all(Array.from({ length: 4 }, client)),
      );
      // Something is answered, whatever has failed.
      await answers.replace(caller, inspection.id, NewAnswer.parse(answer()));

      const records = await recordsOf(person, inspection);
      const failed = records.filter(({ is_failed }) => is_failed);
      const found = await findingsOf(person, inspection);
      expect(found.map(({ field_id }) => field_id)).toEqual(failed.map(({ field_id }) => field_id));
      expect(await inspectionOf(person, inspection)).toMatchObject({
        findings_count: found.length,
        progress: { answered: records.filter(({ answered_at }) => answered_at !== null).length },
      });
      const shown = records.flatMap(({ field_id, value, media: beside }) => [
        ...beside,
        ...(field_id === PHOTO && value ? (value as typeof beside) : []),
      ]);
      expect(await Promise.all(documents.map((id) => usedBy(person, id)))).toEqual(
        documents.map((id) => shown.filter(({ document_id }) => document_id === id).length),
      );
    },
  );
});
