import { typedAnswer } from '../../../../shared/domain/report/payload/answers.ts';
import { Field } from '../../../../shared/schemas/templates/content.ts';
import { LOCATION, PEOPLE, reportMaterial } from '../../../reports/fixtures/material.ts';
import { field, uuid } from '../../../support/content.ts';
import { document, option } from '../../content/fixtures.ts';

const typed = (type: string, more: object, value: unknown) =>
  typedAnswer(reportMaterial({}), Field.parse(field(1, type, more)), value);

const options = [option('ok', { color: '#00ff00' }), option('bad', { is_failed: true })];
const [ana, name] = Object.entries(PEOPLE)[0]!;

describe('typedAnswer', () => {
  test.each<[string, object, unknown, object | null]>([
    ['text', {}, 'Dry', { kind: 'text', text: 'Dry' }],
    ['text', {}, '', null],
    ['yes_no', {}, false, { kind: 'yes_no', yes: false }],
    ['number', { unit: 'm' }, 0, { kind: 'number', number: 0, unit: 'm', of: null }],
    ['number', { max: 9 }, 4, { kind: 'number', number: 4, unit: null, of: null }],
    ['rating', {}, 4, { kind: 'number', number: 4, unit: null, of: 5 }],
    ['rating', { max: 10 }, 4, { kind: 'number', number: 4, unit: null, of: 10 }],
    ['date', {}, '2026-03-14', { kind: 'date', date: '2026-03-14' }],
    ['time', {}, '09:30', { kind: 'time', time: '09:30' }],
    ['datetime', {}, '2026-03-14T09:30:00Z', { kind: 'datetime', at: '2026-03-14T09:30:00Z' }],
    ['photo', {}, [document(7), document(8)], { kind: 'media', document_ids: [uuid(7), uuid(8)] }],
    [
      'single_select',
      { options },
      'ok',
      {
        kind: 'options',
        options: [{ value: 'ok', label: 'ok', color: '#00ff00', is_failed: false, is_na: false }],
      },
    ],
    ['single_select', { options }, 'gone', null],
    [
      'signature',
      {},
      { signed_name: 'Jo', typed: 'J', signed_at: '2026-03-14T09:30:00+01:00' },
      {
        kind: 'signature',
        signed_name: 'Jo',
        signed_at: '2026-03-14T08:30:00.000Z',
        document_id: null,
        typed: 'J',
      },
    ],
    [
      'signature',
      {},
      { signed_name: 'Jo', document_id: uuid(7) },
      { kind: 'signature', signed_name: 'Jo', signed_at: null, document_id: uuid(7), typed: null },
    ],
    [
      'geo_point',
      {},
      { lat: 1, lng: 2, accuracy_m: 3 },
      { kind: 'position', position: { lat: 1, lng: 2, accuracy_m: 3 } },
    ],
    [
      'geo_point',
      {},
      { lat: 1, lng: 2 },
      { kind: 'position', position: { lat: 1, lng: 2, accuracy_m: null } },
    ],
    [
      'address',
      {},
      { line1: 'Pier 3', line2: ' ', city: 'Gdynia', region: 'PM', postal_code: '81-372', country: 'PL' },
      {
        kind: 'address',
        address: { lines: ['Pier 3'], city: 'Gdynia', region: 'PM', postal_code: '81-372', country: 'PL' },
      },
    ],
    [
      'address',
      {},
      { line2: 'Pier 3' },
      { kind: 'address', address: { lines: ['Pier 3'], city: '', region: '', postal_code: '', country: '' } },
    ],
    ['member', {}, ana, { kind: 'member', id: ana, name }],
    ['member', {}, uuid(99), { kind: 'member', id: uuid(99), name: null }],
    ['client_account', {}, uuid(99), { kind: 'client_account', id: uuid(99), name: null }],
    [
      'location',
      {},
      LOCATION.id,
      {
        kind: 'location',
        id: LOCATION.id,
        name: LOCATION.name,
        address: LOCATION.address,
        position: LOCATION.position,
      },
    ],
    ['location', {}, uuid(99), { kind: 'location', id: uuid(99), name: null, address: null, position: null }],
    [
      'reference',
      {},
      { label: 'Pump', source_id: uuid(5), external_id: 'x1' },
      { kind: 'reference', label: 'Pump', source_id: uuid(5), external_id: 'x1' },
    ],
  ])('%s %j of %j', (type, more, value, expected) => expect(typed(type, more, value)).toEqual(expected));
});
