import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OperationEntry } from '../../infra/catalogue.ts';
import { openApiDocument } from '../../infra/openapi/document.ts';
import type { OpenApiDocument } from '../../infra/openapi/document/types.ts';

/** The OpenAPI document of some operations. It is made when it is first needed, and once. */
export const documentOf = (entries: () => readonly OperationEntry[]): (() => OpenApiDocument) => {
  let document: OpenApiDocument | undefined;
  return () => (document ??= openApiDocument({ operations: [...entries()], workers: [] }));
};

/** Validators of one operation, made from the OpenAPI document. */
export interface Documented {
  /** Of its success reply. */
  reply: () => ValidateFunction;
  /** Of its JSON body. */
  request: () => ValidateFunction;
}

/**
 * Validators for the bodies of operations, made from their OpenAPI document.
 * @returns those of one, by its path in the document
 */
export const documentedBodies = (
  entries: readonly OperationEntry[],
): ((entry: OperationEntry, path: string) => Documented) => {
  const document = documentOf(() => entries);
  let ajv: Ajv2020 | undefined;
  const withDocument = (): Ajv2020 => {
    if (ajv) return ajv;
    // The document as a whole is no schema. A schema in it that is none does not compile.
    ajv = new Ajv2020({ strict: false, validateSchema: false });
    addFormats.default(ajv);
    return ajv.addSchema({ $id: 'document', ...document() });
  };
  return ({ operation }, path) => {
    const { method, success } = operation;
    const status = success === 204 && 'existing' in operation ? operation.existing : success;
    const validator = (...place: (string | number | undefined)[]): ValidateFunction => {
      const names = ['paths', path, method.toLowerCase(), ...place, 'content', 'application/json', 'schema'];
      const pointer = names.map((name) =>
        encodeURIComponent(String(name).replaceAll('~', '~0').replaceAll('/', '~1')),
      );
      return withDocument().compile({ $ref: `document#/${pointer.join('/')}` });
    };
    return {
      reply: () => validator('responses', status),
      request: () => validator('requestBody'),
    };
  };
};
