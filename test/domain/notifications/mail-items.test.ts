import {
  aboutOf,
  mailItemOf,
  withItem,
  type MailItem,
  senderName,
} from '../../../shared/domain/notifications/mail.ts';
import { plainName } from '../../../shared/domain/notifications/text.ts';

const inspection = { id: 'i', number: 12, name: 'Kitchen' };
const AT = '2030-01-01T00:00:00.000Z';

test('aboutOf names the action, else the finding, and none of what only rules read', () => {
  const finding = { id: 'f', number: 3, label: 'Loose bolt', severity: 'major' };
  const action = { id: 'a', number: 4, title: 'Fasten it', status: 'open' };
  const subject = { inspection: { ...inspection, status: 'completed' } };
  expect(aboutOf(subject)).toEqual({ inspection, entries: [] });
  expect(aboutOf({ ...subject, finding })).toEqual({
    inspection,
    entries: [{ id: 'f', number: 3, name: 'Loose bolt' }],
  });
  expect(aboutOf({ ...subject, finding, action }).entries).toEqual([
    { id: 'a', number: 4, name: 'Fasten it' },
  ]);
});

describe('withItem', () => {
  const item = (n: number, changes: Partial<MailItem> = {}): MailItem => ({
    ...mailItemOf(
      {
        event: 'finding_created',
        actor_id: 'ina',
        note: `Note ${n}`,
        about: { inspection, entries: [{ id: `f${n}`, number: n, name: `Finding ${n}` }] },
      },
      AT,
    ),
    ...changes,
  });
  const other = (id: string): MailItem => item(1, { inspection: { ...inspection, id } });

  test('an item says what a notice does, and when', () =>
    expect(item(1)).toEqual({
      event: 'finding_created',
      at: AT,
      actor_id: 'ina',
      note: 'Note 1',
      inspection,
      entries: [{ id: 'f1', number: 1, name: 'Finding 1' }],
      count: 1,
    }));

  test('the same event of the same inspection stays one item: the latest, with the records of all', () => {
    const [first, later] = [item(1), item(2, { at: '2030-01-02T00:00:00.000Z' })];
    expect(withItem([other('x'), first], later)).toEqual({
      items: [other('x'), { ...later, entries: [...first.entries, ...later.entries], count: 2 }],
      left_out: 0,
    });
  });

  test('another event, or one of another inspection, is an item of its own', () => {
    const further = [item(1, { event: 'completed' }), other('x')];
    expect(withItem(further, item(1))).toEqual({ items: [...further, item(1)], left_out: 0 });
  });

  test('an action is named once, with what happened to it last', () => {
    const action = { id: 'a', number: 3, name: 'Renew the contract' };
    const ofActions = (event: MailItem['event'], entries: MailItem['entries']) =>
      item(1, { event, entries, count: entries.length });
    const [tap, assigned] = [
      { id: 'b', number: 4, name: 'Fix the tap' },
      'corrective_action_assigned' as const,
    ];
    const verified = ofActions('corrective_action_verified', [action]);
    expect(withItem([ofActions(assigned, [action, tap]), other('x')], verified).items).toEqual([
      ofActions(assigned, [tap]),
      other('x'),
      verified,
    ]);
    expect(withItem([ofActions(assigned, [action])], verified).items).toEqual([verified]);
    expect(withItem([verified], verified).items).toEqual([verified]);
  });

  test('an item names ten records and counts the others', () => {
    let items = [item(0)];
    for (let n = 1; n < 12; n += 1) ({ items } = withItem(items, item(n)));
    expect([items.length, items[0]!.count, items[0]!.entries.map(({ number }) => number)]).toEqual([
      1,
      12,
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    ]);
  });

  test('a mail has thirty items, and counts the others', () => {
    const full = Array.from({ length: 30 }, (_, n) => other(`i${n}`));
    expect(withItem(full.slice(1), other('x'))).toEqual({
      items: [...full.slice(1), other('x')],
      left_out: 0,
    });
    expect(withItem(full, other('x'))).toEqual({ items: full, left_out: 1 });
    expect(withItem(full, other('i7'))).toMatchObject({ left_out: 0 });
  });
});

test('senderName: the organization’s name, and the service’s', () =>
  expect(senderName('Duck Ltd')).toBe('Duck Ltd via Inspection Service'));

test.each([
  ['Duck Ltd.', 'Duck Ltd.'],
  [' Duck  Ltd ', 'Duck Ltd'],
  ['Visit evil.example.com/now', 'Visit evil example com now'],
  ['https://evil', 'https evil'],
  ['me@evil.com?a=b&c%d#e\\f', 'me evil com a b c d e f'],
  ['A & B: C / D', 'A & B: C / D'],
  ['Duck\u200b\u202e Ltd\ue000', 'Duck Ltd'],
  ['क्\u200dष', 'क्\u200dष'],
  ['a\r\nb', 'a b'],
  ['x'.repeat(130), `${'x'.repeat(119)}…`],
])('plainName: %j can hold no link and no hidden character', (name, expected) =>
  expect(plainName(name)).toBe(expected),
);
