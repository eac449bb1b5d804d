import { acceptsMedia, checkMedia } from '../../../../shared/domain/content/values/media.ts';
import { uuid } from '../../../support/content.ts';
import { document } from '../fixtures.ts';
import { fieldOf } from './fixtures.ts';

describe('checkMedia', () => {
  test('normalizes media beside an answer', () =>
    expect(checkMedia(fieldOf('yes_no'), [{ document_id: uuid(7) }])).toEqual({ value: [document(7)] }));
  test('refuses more than the field takes', () =>
    expect(checkMedia(fieldOf('yes_no', { media: { max: 1 } }), [document(7), document(8)])).toEqual([
      expect.objectContaining({ loc: ['body', 'media'], type: 'too_long' }),
    ]));
});

describe('acceptsMedia', () => {
  test.each<[string, object, string, boolean]>([
    ['photo', {}, 'image/jpeg', true],
    ['photo', {}, 'video/mp4', false],
    ['drawing', {}, 'image/png', true],
    ['video', {}, 'video/mp4', true],
    ['audio', {}, 'audio/mpeg', true],
    ['audio', {}, 'application/pdf', false],
    ['file', {}, 'application/pdf', true],
    ['file', { media: { kinds: ['photo', 'audio'] } }, 'application/pdf', false],
    ['yes_no', {}, 'application/pdf', true],
    ['yes_no', { media: { kinds: ['photo', 'video'] } }, 'video/mp4', true],
    ['yes_no', { media: { kinds: ['photo', 'video'] } }, 'audio/mpeg', false],
  ])('%s %j of %s: %p', (type, more, mime, accepted) =>
    expect(acceptsMedia(fieldOf(type, more), mime)).toBe(accepted),
  );
});
