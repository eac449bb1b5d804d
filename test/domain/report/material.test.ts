import { indexContent } from '../../../shared/domain/content/content-index.ts';
import { reportReferences } from '../../../shared/domain/report/material.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { contentWith, field, uuid } from '../../support/content.ts';
import { document } from '../content/fixtures.ts';

const index = indexContent(
  Content.parse({
    ...contentWith(
      field(2, 'member'),
      field(3, 'photo'),
      field(4, 'client_account'),
      field(5, 'location'),
      field(6, 'text'),
      field(7, 'signature'),
    ),
    start: { fields: [{ key: 'guide', type: 'member', label: 'Guide' }] },
  }),
);

const NOTHING = {
  signOffs: [],
  startAnswers: {},
  answers: [],
  findings: [],
  actions: [],
  attachments: [],
  corrections: [],
  revisions: [],
};
type Referring = Parameters<typeof reportReferences>[1];
const found = (material: Partial<Record<keyof Referring, unknown>>) => {
  const { people, keys, documents, clients, locations } = reportReferences(index, {
    ...NOTHING,
    ...material,
  } as Referring);
  return Object.fromEntries(
    Object.entries({ people, keys, documents, clients, locations }).flatMap(([name, ids]) =>
      ids.size > 0 ? [[name, [...ids]]] : [],
    ),
  );
};
const answer = (n: number, value: unknown, more: object = {}) => ({
  field_id: uuid(n),
  instance_path: '',
  value,
  answered_by: null,
  ...more,
});
const revised = (field_id: string, previous_value: unknown, value: unknown, answer_source = 'field') => ({
  answer_source,
  field_id,
  previous_value,
  value,
  changed_by: 'editor',
});

describe('reportReferences', () => {
  test.each<[string, Parameters<typeof found>[0], object]>([
    ['nothing', {}, {}],
    [
      'a member, and who answered',
      { answers: [answer(2, uuid(50), { answered_by: 'ana' })] },
      { people: [uuid(50), 'ana'] },
    ],
    ['photos', { answers: [answer(3, [document(51), document(52)])] }, { documents: [uuid(51), uuid(52)] }],
    [
      'media beside an answer',
      { answers: [answer(6, uuid(50), { media: [document(53)] })] },
      { documents: [uuid(53)] },
    ],
    ['a client account', { answers: [answer(4, uuid(54))] }, { clients: [uuid(54)] }],
    ['a location', { answers: [answer(5, uuid(55))] }, { locations: [uuid(55)] }],
    ['an answer to a field that is gone', { answers: [answer(99, uuid(50))] }, {}],
    ['the start', { startAnswers: { guide: uuid(50), gone: uuid(51) } }, { people: [uuid(50)] }],
    [
      'the media of findings',
      { findings: [{ content: { media: [document(56)] } }] },
      { documents: [uuid(56)] },
    ],
    [
      'the people of corrective actions',
      { actions: [{ assignee_id: 'amir', completed_by: 'cleo', verified_by: null }] },
      { people: ['amir', 'cleo'] },
    ],
    ['attachments', { attachments: [{ document_id: uuid(57) }] }, { documents: [uuid(57)] }],
    [
      'the members and keys of signatures and decisions that keys gave for them',
      {
        signOffs: [
          { user_id: 'ana', acted_via_key_id: 'app' },
          { user_id: 'ben', acted_via_key_id: null },
        ],
        actions: [{ assignee_id: null, completed_by: null, verified_by: 'zoe', verified_via_key_id: 'desk' }],
        corrections: [{ opened_by: 'eva', closed_by: null, decided_by: 'pia', decided_via_key_id: 'tablet' }],
      },
      { people: ['zoe', 'ana', 'eva', 'pia'], keys: ['desk', 'app', 'tablet'] },
    ],
    [
      'the people of corrections',
      {
        corrections: [
          { opened_by: 'olga', closed_by: 'carl' },
          { opened_by: 'olga', closed_by: null },
        ],
      },
      { people: ['olga', 'carl'] },
    ],
    [
      'what a correction changed, before and after',
      { revisions: [revised(uuid(3), [document(58)], [document(59)]), revised(uuid(2), null, uuid(50))] },
      { people: ['editor', uuid(50)], documents: [uuid(58), uuid(59)] },
    ],
    [
      'what a correction changed at the start',
      { revisions: [revised('guide', uuid(50), null, 'start'), revised(uuid(2), uuid(51), null, 'start')] },
      { people: [uuid(50), 'editor'] },
    ],
    [
      'a change of a field that is gone',
      { revisions: [revised(uuid(99), uuid(50), null)] },
      { people: ['editor'] },
    ],
  ])('of %s', (_, material, expected) => expect(found(material)).toEqual(expected));
});
