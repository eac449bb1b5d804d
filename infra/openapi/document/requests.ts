import type { Multipart, FileDeclaration } from '../../../shared/http/operation/forms.ts';
import { isMultipart, type Operation } from '../../../shared/http/operation/operation.ts';
import { isOptional } from './declaration.ts';
import { exampleOf } from './example.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Schemas } from './schemas.ts';
import type { BodyContent, RequestBody } from './types.ts';

/**
 * A JSON body with an example.
 * @param name chooses the words of a made-up example
 * @param example the declared one, which replaces a made-up one
 */
export const jsonContent = (
  schema: JsonSchema,
  schemas: Schemas,
  name: string,
  example: unknown,
): BodyContent => ({
  'application/json': {
    schema,
    example: example === undefined ? exampleOf(schema, schemas.components, name) : example,
  },
});

// Without `maxLength`, which counts the characters of a text: the description says how many bytes a file may have.
const bytesSchema = ({ mediaTypes }: FileDeclaration): JsonSchema => ({
  type: 'string',
  format: 'binary',
  ...(mediaTypes?.length === 1 && { contentMediaType: mediaTypes[0] }),
});

const fileSchema = (file: FileDeclaration): JsonSchema => {
  const { maxBytes, maxFiles, description } = file;
  const bytes = `${maxBytes.toLocaleString('en')} bytes`;
  return maxFiles === undefined
    ? { ...bytesSchema(file), description: `${description} At most ${bytes}.` }
    : {
        type: 'array',
        items: bytesSchema(file),
        maxItems: maxFiles,
        description: `${description} At most ${maxFiles} files of at most ${bytes} each.`,
      };
};

const formSchema = ({ fields, files }: Multipart, schemas: Schemas): JsonSchema => {
  const texts = Object.entries(fields.shape);
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(Object.entries(files).map(([name, file]) => [name, fileSchema(file)])),
      ...Object.fromEntries(texts.map(([name, type]) => [name, schemas.of(type, 'input')])),
    },
    required: [
      ...Object.entries(files).flatMap(([name, { required }]) => (required ? [name] : [])),
      ...texts.flatMap(([name, type]) => (isOptional(type) ? [] : [name])),
    ],
    additionalProperties: false,
  };
};

const formContent = (form: Multipart, schemas: Schemas, example: unknown): BodyContent => {
  const schema = formSchema(form, schemas);
  const encoding = Object.entries(form.files).flatMap(([name, { mediaTypes }]) =>
    mediaTypes ? [[name, { contentType: mediaTypes.join(', ') }]] : [],
  );
  return {
    'multipart/form-data': {
      schema,
      example: example ?? exampleOf(schema, schemas.components, 'form'),
      ...(encoding.length > 0 && { encoding: Object.fromEntries(encoding) }),
    },
  };
};

/**
 * The body of an operation's requests. Undefined when it takes none. Where a form may be replaced by JSON, the
 * declared example is one of JSON.
 */
export const requestBodyOf = (
  { id, body, example }: Operation,
  schemas: Schemas,
): RequestBody | undefined => {
  if (!body) return undefined;
  if (!isMultipart(body))
    return {
      required: !isOptional(body),
      content: jsonContent(schemas.of(body, 'input'), schemas, id, example?.body),
    };
  if (!body.json) return { required: true, content: formContent(body, schemas, example?.body) };
  const json = jsonContent(schemas.of(body.json, 'input'), schemas, id, example?.body);
  return { required: true, content: { ...formContent(body, schemas, undefined), ...json } };
};
