import { isFile, type Operation } from '../../../shared/http/operation/operation.ts';
import type { FileResponse } from '../../../shared/http/operation/responses.ts';
import { checksOrigin, isAppOnly, isRepeatable } from '../../../shared/http/operation/surface.ts';
import { fieldIn, repliesVersion, takesKnownReplies, takesVersion } from '../../../shared/http/versions.ts';
import type { ERRORS } from '../prose.ts';
import { errorReference, FOREIGN_REFERENCE, headerReference } from './components.ts';
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

const KNOWN = 'The client has this reply already: `If-None-Match` names it. There is no body.';

const EXISTING = 'It already existed. Nothing was changed.';

/** The statuses with which an operation can fail by its form. */
export const derivedStatuses = (operation: Operation): ErrorStatus[] => {
  const { access, params } = operation;
  const statuses: [ErrorStatus, boolean][] = [
    // Every operation refuses a body or a condition that it does not take.
    [400, access !== 'person'],
    [401, true],
    [403, true],
    [404, params !== undefined],
    [409, isRepeatable(operation) || takesVersion(operation)],
    [422, true],
    [429, true],
    [500, true],
    [503, true],
  ];
  return statuses.flatMap(([status, applies]) => (applies ? [status] : []));
};

/** The statuses with which an operation can fail: those that follow from its form, and those that it declares. */
export const errorStatuses = (operation: Operation): ErrorStatus[] =>
  [...new Set([...derivedStatuses(operation), ...(operation.errors ?? [])])].toSorted((a, b) => a - b);

const headersOf = (operation: Operation, status: number): Record<string, Reference> => ({
  'X-Request-Id': headerReference('RequestId'),
  ...(operation.location &&
    !isAppOnly(operation) &&
    status === operation.success && { Location: headerReference('Location') }),
  ...(operation.list && fieldIn(operation.query, 'cursor') && { Link: headerReference('Link') }),
  ...(repliesVersion(operation) && { ETag: headerReference('ETag') }),
  ...(operation.deprecated && {
    Deprecation: headerReference('Deprecation'),
    Sunset: headerReference('Sunset'),
  }),
  ...(isRepeatable(operation) && { 'Idempotent-Replayed': headerReference('IdempotentReplayed') }),
});

const fileContent = ({ mediaTypes, description }: FileResponse): BodyContent =>
  Object.fromEntries(
    mediaTypes.map((mediaType) => [mediaType, { schema: { type: 'string', format: 'binary', description } }]),
  );

const contentOf = ({ id, response, alsoAs, example }: Operation, schemas: Schemas): BodyContent =>
  isFile(response)
    ? fileContent(response)
    : {
        ...jsonContent(schemas.of(response, 'output'), schemas, id, example?.response),
        ...(alsoAs && fileContent(alsoAs)),
      };

const successReply = (
  operation: Operation,
  status: number,
  description: string,
  schemas: Schemas,
): Reply => ({
  description,
  headers: headersOf(operation, status),
  ...(status !== 204 && { content: contentOf(operation, schemas) }),
});

/** All replies of an operation, by status. */
export const repliesOf = (operation: Operation, schemas: Schemas): Record<string, Reply | Reference> => {
  const { success, existing, existingMeans = EXISTING } = operation;
  return {
    [success]: successReply(operation, success, SUCCESS[success], schemas),
    ...(takesKnownReplies(operation) && {
      304: { description: KNOWN, headers: { ETag: headerReference('ETag') } },
    }),
    ...(existing && { [existing]: successReply(operation, existing, existingMeans, schemas) }),
    ...Object.fromEntries(
      errorStatuses(operation).map((status) => [
        status,
        status === 403 && checksOrigin(operation) ? FOREIGN_REFERENCE : errorReference(status),
      ]),
    ),
  };
};
