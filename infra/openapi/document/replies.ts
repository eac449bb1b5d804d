import type { FileResponse } from '../../../shared/http/operation/file.ts';
import { isFile, type Operation } from '../../../shared/http/operation/operation.ts';
import type { ERRORS } from '../prose.ts';
import { errorReference, headerReference } from './components.ts';
import { hasField, takesVersion } from './declaration.ts';
import { jsonContent } from './requests.ts';
import type { Schemas } from './schemas.ts';
import type { BodyContent, Reference, Reply } from './types.ts';

type ErrorStatus = keyof typeof ERRORS;

const SUCCESS = {
  200: 'The request succeeded.',
  201: 'The resource was created.',
  202: 'The request was accepted. The work continues in the background.',
  204: 'The resource was deleted.',
} as const satisfies Record<Operation['success'], string>;

const EXISTING = 'It already existed. Nothing was changed.';

/** The statuses with which an operation can fail: those that follow from its form, and those that it declares. */
const errorStatuses = (operation: Operation): ErrorStatus[] => {
  const { method, params, body, errors = [] } = operation;
  const statuses: [ErrorStatus, boolean][] = [
    [400, body !== undefined],
    [401, true],
    [403, true],
    [404, params !== undefined],
    [409, method === 'POST' || takesVersion(operation)],
    [422, true],
    [429, true],
    [500, true],
    [503, true],
  ];
  return statuses.flatMap(([status, applies]) =>
    applies || (errors as readonly number[]).includes(status) ? [status] : [],
  );
};

const headersOf = ({ method, list, query, response }: Operation): Record<string, Reference> => ({
  'X-Request-Id': headerReference('RequestId'),
  ...(list && hasField(query, 'cursor') && { Link: headerReference('Link') }),
  ...(hasField(response, 'version') && { ETag: headerReference('ETag') }),
  ...(method === 'POST' && { 'Idempotent-Replayed': headerReference('IdempotentReplayed') }),
});

const fileContent = ({ mediaTypes, description }: FileResponse): BodyContent =>
  Object.fromEntries(
    mediaTypes.map((mediaType) => [mediaType, { schema: { type: 'string', format: 'binary', description } }]),
  );

const contentOf = ({ id, response, example }: Operation, schemas: Schemas): BodyContent =>
  isFile(response)
    ? fileContent(response)
    : jsonContent(schemas.of(response, 'output'), schemas, id, example?.response);

const successReply = (operation: Operation, description: string, schemas: Schemas): Reply => ({
  description,
  headers: headersOf(operation),
  ...(operation.success !== 204 && { content: contentOf(operation, schemas) }),
});

/** All replies of an operation, by status. */
export const repliesOf = (operation: Operation, schemas: Schemas): Record<string, Reply | Reference> => {
  const { success, existing, existingMeans = EXISTING } = operation;
  return {
    [success]: successReply(operation, SUCCESS[success], schemas),
    ...(existing && { [existing]: successReply(operation, existingMeans, schemas) }),
    ...Object.fromEntries(errorStatuses(operation).map((status) => [status, errorReference(status)])),
  };
};
