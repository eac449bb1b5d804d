import type { FieldType } from '../../../../schemas/templates/content.ts';
import { isNumber } from '../../expressions/literals.ts';
import { yesOrNo } from '../read/yes-or-no.ts';

const numberIn = (text: string): number | undefined => (isNumber(text) ? Number(text) : undefined);

/**
 * The text of a default as an answer of the given type; undefined where that type cannot have such an answer.
 * @param optionOf returns the value of the option with a name
 */
export const defaultIn = (text: string, type: FieldType, optionOf: (name: string) => string): unknown => {
  switch (type) {
    case 'number':
    case 'slider':
    case 'rating':
    case 'temperature':
      return numberIn(text);
    case 'yes_no':
    case 'checkbox':
      return text === 'OK' ? true : yesOrNo(text);
    case 'multi_select':
      return text.split(/\s+/).map(optionOf);
    case 'yes_no_na':
    case 'pass_fail_na':
    case 'single_select':
      return optionOf(text);
    case 'geo_point': {
      const [lat, lng, , accuracy] = text.split(/\s+/).map(numberIn);
      return lat === undefined || lng === undefined ? undefined : { lat, lng, accuracy_m: accuracy ?? null };
    }
    case 'text':
    case 'long_text':
    case 'barcode':
    case 'date':
    case 'time':
    case 'datetime':
      return text;
    case 'photo':
    case 'video':
    case 'audio':
    case 'file':
    case 'drawing':
    case 'signature':
    case 'address':
    case 'member':
    case 'client_account':
    case 'location':
    case 'reference':
    case 'calculated':
    case 'instruction':
      return undefined;
  }
};
