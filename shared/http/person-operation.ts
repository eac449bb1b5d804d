import * as z from 'zod';
import { personNeeded } from '../base/errors.ts';
import { createHandler } from './handler.ts';
import type { Operation } from './operation.ts';

/**
 * An operation for signed-in people, which refuses every API key with 403 before it looks at anything else: it
 * has no more to declare than its name.
 */
export const personOperation = (named: Pick<Operation, 'id' | 'method' | 'path' | 'summary' | 'params'>) => {
  const operation: Operation = {
    ...named,
    access: 'person',
    success: 200,
    response: z.null(),
    grants: [],
    calls: 1,
  };
  const handler = createHandler(operation, () => {
    throw personNeeded();
  });
  return { operation, handler };
};
