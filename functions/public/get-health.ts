import * as z from 'zod';
import { environment } from '../../shared/base/environment.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { createProbeHandler } from '../../shared/http/probe-handler.ts';

export const operation = defineOperation({
  id: 'getHealth',
  method: 'GET',
  surface: 'probe',
  path: '/health',
  summary: 'Whether the API answers',
  success: 200,
  response: z.strictObject({ status: z.literal('ok'), release: z.string() }),
});

export const handler = createProbeHandler(operation, () => ({
  status: 'ok' as const,
  release: environment('RELEASE'),
}));
