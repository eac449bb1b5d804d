import * as bulkApply from '../../functions/ai/bulk-apply-templates-with-ai.ts';
import * as bulkEdit from '../../functions/ai/bulk-edit-templates-with-ai.ts';
import * as edit from '../../functions/ai/edit-template-with-ai.ts';
import * as generate from '../../functions/ai/generate-template-with-ai.ts';
import * as importTemplate from '../../functions/ai/import-template-with-ai.ts';
import * as errors from '../../shared/base/errors.ts';
import { as, type Endpoint } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';

describe.each<[string, Endpoint]>([
  ['POST /templates/{template_id}/ai-edit', edit],
  ['POST /templates/ai-bulk-edit', bulkEdit],
  ['POST /templates/ai-bulk-apply', bulkApply],
  ['POST /templates/ai-import', importTemplate],
  ['POST /templates/ai-generate', generate],
])('%s', (name, endpoint) => {
  let ana: Person;
  beforeAll(async () => {
    ana = await newPerson('Ana');
  });

  test('is the method and path of the operation', () => {
    expect(`${endpoint.operation.method} ${endpoint.operation.path}`).toBe(name);
  });

  test.each(['read & write', 'read only'])(
    '403 for a %s key, whatever the path and the body are',
    async (access) => {
      const key = access === 'read only' ? ana.readOnlyKey : ana.key;
      const params = { template_id: 'none' };
      const headers = { 'Idempotency-Key': 'ai-1' };
      for (const request of [
        {},
        { body: { prompt: 'A crane, please' } },
        { raw: Buffer.from('{') },
        { headers },
      ]) {
        expect(await as(key).call(endpoint, { params, ...request })).toMatchObject({
          status: 403,
          body: { detail: errors.personRequired().detail },
        });
      }
    },
  );

  test('401 without a key', async () => {
    expect((await as(null).call(endpoint, { params: { template_id: 'none' } })).status).toBe(401);
  });
});
