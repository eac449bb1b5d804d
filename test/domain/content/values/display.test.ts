import { displayAnswer } from '../../../../shared/domain/content/values/display.ts';
import { uuid } from '../../../support/content.ts';
import { document } from '../fixtures.ts';
import { fieldOf, index, options } from './fixtures.ts';

describe('displayAnswer', () => {
  test.each<[string, object, unknown, string]>([
    ['text', {}, 'as is', 'as is'],
    ['text', {}, null, ''],
    ['multi_select', { options }, [], ''],
    ['single_select', { options }, 'bad', 'BAD'],
    ['multi_select', { options }, ['good', 'bad'], 'GOOD, BAD'],
    ['yes_no_na', {}, 'na', 'N/A'],
    ['yes_no', {}, false, 'No'],
    ['yes_no', {}, true, 'Yes'],
    ['number', {}, 0, '0'],
    ['temperature', { unit: '°C' }, 2.5, '2.5 °C'],
    ['date', {}, '2024-02-29', '2024-02-29'],
    ['photo', {}, [document(7)], '1 photo'],
    ['audio', {}, [document(7), document(8)], '2 recordings'],
    [
      'signature',
      {},
      { document_id: null, typed: 'J', signed_name: 'Jane Doe', signed_at: null },
      'Jane Doe',
    ],
    ['geo_point', {}, { lat: 47.3, lng: -8, accuracy_m: null }, '47.3, -8'],
    ['geo_point', {}, { lat: 47.3, lng: -8, accuracy_m: 5 }, '47.3, -8 (±5 m)'],
    [
      'address',
      {},
      { line1: 'Main St 1', line2: '', city: 'Bern', region: '', postal_code: '', country: 'CH' },
      'Main St 1, Bern, CH',
    ],
    ['reference', {}, { source_id: uuid(7), external_id: 'x1', label: 'Pump' }, 'Pump'],
    ['reference', {}, { source_id: uuid(7), external_id: 'x1', label: '' }, 'x1'],
    ['calculated', { formula: '1', unit: 'kg' }, 3, '3 kg'],
  ])('%s %j of %j: %p', (type, more, value, text) =>
    expect(displayAnswer(fieldOf(type, more), index, value)).toBe(text),
  );
});
