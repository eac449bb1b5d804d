import type * as z from 'zod';

/** The declared type, without wrappers such as optional, nullable and default. */
const declaredType = (schema: z.core.$ZodType): z.core.$ZodType => {
  const { def } = schema._zod as { def: { innerType?: z.core.$ZodType; in?: z.core.$ZodType } };
  const inner = def.innerType ?? def.in;
  return inner ? declaredType(inner) : schema;
};

const INTEGER_OR_DECIMAL = /^-?\d{1,17}(\.\d{1,17})?$/;
/** In any case, because some clients (Python's) write `True`. */
const BOOLEANS: Record<string, boolean> = { true: true, false: false };

/**
 * Converts the text values of one name (in a query or a form) to the declared type. A text that cannot be converted
 * is returned as it is, and the schema refuses it. A repeated name gives an array, which only a declared array accepts.
 */
export const fromText = (schema: z.core.$ZodType, texts: readonly string[]): unknown => {
  const declared = declaredType(schema);
  const { def } = declared._zod as { def: { type: string; element?: z.core.$ZodType } };
  if (def.type === 'array') return texts.map((text) => fromText(def.element!, [text]));
  if (texts.length !== 1) return texts;
  const text = texts[0]!;
  if (def.type === 'number') return INTEGER_OR_DECIMAL.test(text) ? Number(text) : text;
  if (def.type === 'boolean') return BOOLEANS[text.toLowerCase()] ?? text;
  return text;
};
