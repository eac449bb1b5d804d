import { shownDocuments, withoutDocuments } from '../../../shared/domain/content/shown-documents.ts';
import { uuid } from '../../support/content.ts';
import { document } from './fixtures.ts';

const signature = (document_id: string | null) => ({ document_id, signed_name: 'Jo' });

describe('shownDocuments', () => {
  test.each<[string, unknown, string[]]>([
    ['an answer of media', [document(1), document(2), document(1)], [uuid(1), uuid(2)]],
    ['a drawn signature', signature(uuid(1)), [uuid(1)]],
    ['a typed signature', signature(null), []],
    ['answers by key', { site: [document(1)], sign: signature(uuid(2)), note: uuid(3) }, [uuid(1), uuid(2)]],
    [
      'a document within one that has its own',
      { document_id: uuid(1), media: [document(2)] },
      [uuid(1), uuid(2)],
    ],
    ['a text', uuid(1), []],
    ['nothing', null, []],
  ])('of %s', (_, stored, expected) => expect([...shownDocuments(stored)]).toEqual(expected));
});

describe('withoutDocuments', () => {
  const gone = new Set([uuid(1), uuid(5)]);
  test.each<[string, unknown, unknown]>([
    ['a list keeps the others', [document(1), document(2)], [document(2)]],
    ['a list of which nothing is left is no answer', [document(1), document(5)], null],
    ['an empty list stays', [], []],
    ['a signature is no answer', signature(uuid(1)), null],
    ['another signature stays', signature(uuid(2)), signature(uuid(2))],
    ['a text stays', 'Red', 'Red'],
  ])('%s', (_, shown, expected) => expect(withoutDocuments(shown, gone)).toEqual(expected));
});
