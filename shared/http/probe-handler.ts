import type * as z from 'zod';
import { answerErrors, newHandler } from './lambda.ts';
import type { ProbeOperation } from './operation/operation.ts';
import { json } from './reply/reply.ts';

/**
 * The Lambda handler of an endpoint that tells a monitor whether the service runs. It reaches no data and asks nobody
 * who they are, so no other service can make it fail.
 */
export const createProbeHandler = <Response extends z.ZodType>(
  operation: ProbeOperation & { response: Response },
  logic: () => z.output<Response>,
) =>
  newHandler(operation, {
    middlewares: [answerErrors()],
    run: () => json(200, JSON.stringify(logic())),
  });
