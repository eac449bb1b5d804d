import * as z from 'zod';
import { Timestamp } from '../common.ts';

/** Why something of an integration does not work, as its people read it. */
export const IntegrationProblem = z
  .strictObject({
    code: z.string().meta({ description: 'A stable word for programs.', examples: ['unauthorized'] }),
    message: z.string(),
    at: Timestamp,
  })
  .meta({ id: 'IntegrationProblem', description: 'Why a connection, a source or a run does not work.' });
export type IntegrationProblem = z.output<typeof IntegrationProblem>;
