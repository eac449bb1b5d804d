import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { Family, NewFamily } from '../../../shared/schemas/templates/family.ts';
import * as families from '../../../shared/templates/families.ts';

export const operation = defineOperation({
  id: 'createFamily',
  method: 'POST',
  path: '/templates/families',
  summary: 'Create a template family',
  description: 'The family starts with a draft of version 1: `draft_version_id`.',
  access: 'write',
  body: NewFamily,
  success: 201,
  location: '/templates/families/{family_id}',
  response: Family,
  heavy: true,
  example: {
    body: {
      name: 'Tower crane, weekly',
      tags: ['Lifting'],
      requires_approval: true,
      settings: { notifications: { on_finding: { emails: ['safety@example.com'] } } },
      content: {
        sections: [
          {
            id: '019cade0-51c2-7000-8000-000000000001',
            title: 'Guard rails',
            fields: [
              {
                id: '019cade0-51c2-7000-8000-000000000002',
                type: 'pass_fail_na',
                label: 'Complete and firm',
                required: true,
                finding: { create: 'auto', severity: 'major' },
              },
              { id: '019cade0-51c2-7000-8000-000000000003', type: 'photo', label: 'The crane as a whole' },
            ],
          },
        ],
      },
    },
  },
});

export const handler = createHandler(operation, ({ body, caller }) => families.create(caller, body));
