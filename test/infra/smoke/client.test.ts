import { OPERATIONS } from '../../../infra/smoke/client.ts';
import { isRepeatable } from '../../../shared/http/operation/surface.ts';
import { operationEntries } from '../../support/catalogue.ts';

test('the operations of the smoke test are those of the catalogue', () => {
  const known = new Map(operationEntries().map(({ operation }) => [operation.id, operation]));
  for (const [name, called] of Object.entries(OPERATIONS)) {
    const operation = known.get(name)!;
    const { method, path } = operation;
    expect([name, called]).toEqual([name, `${method} ${path}${isRepeatable(operation) ? ' i' : ''}`]);
  }
});
