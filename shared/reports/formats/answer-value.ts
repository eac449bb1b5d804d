import type { ReportAnswer } from '../../schemas/reports/report-answer.ts';

/** What one cell of a table holds: numbers and booleans as such, everything else as a text; null for nothing. */
export type CellValue = string | number | boolean | null;

const joinedWords = (...parts: (string | null)[]): string => parts.filter(Boolean).join(', ');

/**
 * An answer as a value for tables: numbers and booleans as such, dates and times as the API has them, everything else
 * as text.
 */
export const answerValue = (answer: ReportAnswer): CellValue => {
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
      return joinedWords(...lines, `${postal_code} ${city}`.trim(), region, country);
    }
    case 'member':
    case 'client_account':
    case 'location':
      return answer.name;
    case 'reference':
      return answer.label;
  }
};
