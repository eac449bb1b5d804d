import type { FieldType } from '../schemas/templates/content.ts';
import { yesOrNo } from './tree.ts';

const numberIn = (text: string): number | undefined => {
  const value = Number(text);
  return text.trim() !== '' && Number.isFinite(value) ? value : undefined;
};

/**
 * A default as an answer of a type has it; undefined where the type has none like it.
 * @param optionOf the value of the option that a name stands for
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
