import * as z from 'zod';
import * as errors from '../../base/errors.ts';
import { createHandler } from '../handler.ts';
import type { Operation } from './operation.ts';

/**
 * An operation for signed-in people only. It refuses every API key with 403 before it checks the request, so it
 * declares no body and no response.
 */
export const personOperation = (
  declaration: Pick<Operation, 'id' | 'method' | 'path' | 'summary' | 'params'>,
) => {
  const operation: Operation = {
    ...declaration,
    access: 'person',
    success: 200,
    response: z.null(),
  };
  const handler = createHandler(operation, () => {
    throw errors.personRequired();
  });
  return { operation, handler };
};
