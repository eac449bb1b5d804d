import { references } from '../../../../shared/domain/content/values/references.ts';
import { uuid } from '../../../support/content.ts';
import { document } from '../fixtures.ts';
import { fieldOf } from './fixtures.ts';

describe('references', () => {
  const none = { document_ids: [], user_ids: [], client_account_ids: [], location_ids: [], synced_items: [] };
  test.each<[string, unknown, object]>([
    ['photo', [document(7), document(8)], { document_ids: [uuid(7), uuid(8)] }],
    ['signature', { document_id: uuid(7), typed: null }, { document_ids: [uuid(7)] }],
    ['signature', { document_id: null, typed: 'J' }, {}],
    ['member', uuid(7), { user_ids: [uuid(7)] }],
    ['client_account', uuid(7), { client_account_ids: [uuid(7)] }],
    ['location', uuid(7), { location_ids: [uuid(7)] }],
    [
      'reference',
      { source_id: uuid(7), external_id: 'x1' },
      { synced_items: [{ source_id: uuid(7), external_id: 'x1', target_ref: 'locations' }] },
    ],
    ['text', uuid(7), {}],
    ['photo', null, {}],
    ['signature', null, {}],
  ])('%s %j', (type, value, expected) =>
    expect(references(fieldOf(type, { reference: { target_ref: 'locations' } }), value)).toEqual({
      ...none,
      ...expected,
    }),
  );
});
