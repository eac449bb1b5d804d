import { operationEntries } from './catalogues.ts';
import { ofType, templatesOf } from './templates.ts';

describe('TLS', () => {
  test('of the API is 1.2 or later with forward secrecy, at its own address too', async () => {
    const { templates } = await templatesOf({ operations: operationEntries(1), workers: [] });
    const apis = ofType(templates, 'AWS::ApiGateway::RestApi');
    expect(apis).toHaveLength(2);
    for (const { Properties } of apis)
      expect(Properties).toMatchObject({
        // Without a policy, a regional API accepts TLS 1.0.
        SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
        EndpointAccessMode: 'STRICT',
      });
  });
});
