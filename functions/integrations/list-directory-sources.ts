import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as sources from '../../shared/integrations/rows/sources.ts';
import { listQuery, searchFilter } from '../../shared/schemas/common.ts';
import { DirectorySource } from '../../shared/schemas/integrations/source.ts';

export const operation = defineOperation({
  id: 'listDirectorySources',
  method: 'GET',
  path: '/integrations/directory-sources',
  summary: 'List directory sources',
  access: 'read',
  app: { path: '/integrations/directory-sources', roles: ['admin'] },
  query: listQuery(searchFilter),
  success: 200,
  response: z.array(DirectorySource),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => sources.listDirectory(caller, query));
