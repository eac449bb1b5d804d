import * as z from 'zod';
import * as errors from '../../shared/base/errors.ts';
import { createAssetHandler } from '../../shared/http/asset-handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { asset } from '../../shared/http/operation/responses.ts';
import { HAS_WEB_FILES, readProgramFile } from '../../shared/http/pages/web-files.ts';

export const operation = defineOperation({
  id: 'getPageFile',
  method: 'GET',
  path: '/assets/{file}',
  summary: 'Get a program of the pages',
  loadedBy: 'pages',
  params: z.strictObject({ file: z.string() }),
  success: 200,
  response: asset('The program. Its name has a hash of its content, so it never changes.'),
  ...HAS_WEB_FILES,
});

export const handler = createAssetHandler(operation, (file) => {
  const bytes = readProgramFile(file);
  if (!bytes) throw errors.notFound('file');
  return { bytes, mediaType: 'text/javascript; charset=utf-8' };
});
