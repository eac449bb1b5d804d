import type {
  ReportAnswer,
  ReportField,
  ReportInstance,
  ReportSection,
} from '../../schemas/reports/report-answer.ts';
import type { ReportPayload } from '../../schemas/reports/report-payload.ts';

/** A question with its answer, and where it stands. */
export interface AnswerRecord {
  /** The titles of its sections, outermost first, with the instances of those that repeat. */
  section: string;
  field: ReportField;
}

/** The answer that names an instance, else its number. */
const instanceName = ({ label, position }: Pick<ReportInstance, 'label' | 'position'>): string => {
  const text = label === null ? '' : String(answerValue(label) ?? '');
  return text || `#${position}`;
};

const joined = (...parts: (string | null)[]): string => parts.filter(Boolean).join(', ');

/**
 * An answer as a value for tables: numbers and booleans as such, dates and times as the API has them, everything else as
 * text.
 */
export const answerValue = (answer: ReportAnswer): string | number | boolean | null => {
  switch (answer.kind) {
    case 'text':
      return answer.text;
    case 'number':
      return answer.number;
    case 'yes_no':
      return answer.yes;
    case 'options':
      return answer.options.map(({ label }) => label).join('; ');
    case 'date':
      return answer.date;
    case 'time':
      return answer.time;
    case 'datetime':
      return answer.at;
    case 'media':
      return null;
    case 'signature':
      return answer.signed_name;
    case 'position':
      return `${answer.position.lat}, ${answer.position.lng}`;
    case 'address': {
      const { lines, city, region, postal_code, country } = answer.address;
      return joined(...lines, `${postal_code} ${city}`.trim(), region, country);
    }
    case 'member':
    case 'client_account':
    case 'location':
      return answer.name;
    case 'reference':
      return answer.label;
  }
};

const sectionRecords = function* (section: ReportSection, outer: string): Generator<AnswerRecord> {
  const name = outer === '' ? section.title : `${outer} › ${section.title}`;
  const parts = section.instances?.map((instance) => ({
    ...instance,
    name: `${name} › ${instanceName(instance)}`,
  })) ?? [{ ...section, name }];
  for (const part of parts) {
    for (const field of part.fields) yield { section: part.name, field };
    for (const inner of part.sections) yield* sectionRecords(inner, part.name);
  }
};

/** Every question of an inspection in the order of the form; instructions ask nothing. */
export const answerRecords = function* ({ start, sections }: ReportPayload): Generator<AnswerRecord> {
  for (const field of start) yield { section: '', field };
  for (const section of sections) {
    for (const record of sectionRecords(section, '')) {
      if (record.field.type !== 'instruction') yield record;
    }
  }
};

/** The names of the files of an answer. */
export const fileNames = ({ media }: ReportField): string =>
  media.map(({ file_name, document_id }) => file_name ?? document_id).join('; ');
