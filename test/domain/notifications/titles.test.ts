import fc from 'fast-check';
import { EVENTS } from '../../../shared/domain/notifications/events.ts';
import { titleOf } from '../../../shared/domain/notifications/notices.ts';
import { MAX_NOTE_LENGTH, noteText } from '../../../shared/domain/notifications/text.ts';
import { NotificationEvent } from '../../../shared/schemas/notification.ts';
import { NotificationKind } from '../../../shared/schemas/preferences.ts';

const inspection = { id: 'i', number: 12, name: 'Kitchen check' };
const finding = { id: 'f', number: 3, label: 'Loose bolt' };
const action = { id: 'a', number: 4, title: 'Fasten it' };
const issue = { id: 's', number: 5, title: 'Wet floor' };
const schedule = { id: 't', title: 'Weekly' };
const source = { id: 'u', name: 'Sites' };
const connection = { id: 'c', title: 'Harbour' };
const webhook = { id: 'w', title: 'ERP' };
const NAMED =
  /(nspection 12 “Kitchen check”|ssue 5 “Wet floor”|chedule “Weekly”|ource “Sites”|onnection “Harbour”|ebhook “ERP”)/;
const titleOfAny = (event: NotificationEvent) =>
  titleOf(event, { inspection, finding, action, issue, schedule, source, connection, webhook });

describe('titleOf', () => {
  test.each([
    ['inspection_assigned', 'Inspection 12 “Kitchen check” is assigned to you.'],
    ['changes_requested', 'Changes were requested for inspection 12 “Kitchen check”.'],
    ['finding_created', 'Finding 3 “Loose bolt” was added to inspection 12 “Kitchen check”.'],
    [
      'corrective_action_due_soon',
      'Corrective action 4 “Fasten it” of inspection 12 “Kitchen check” is due within 24 hours.',
    ],
  ] as const)('%s', (event, title) => {
    expect(titleOf(event, { inspection, finding, action })).toBe(title);
  });

  test('every event has its own sentence, which names the record', () => {
    const titles = NotificationEvent.options.map(titleOfAny);
    for (const title of titles) {
      expect(title).toMatch(NAMED);
      expect(title).toMatch(/^[A-Z].*\.$/);
    }
    expect(new Set(titles).size).toBe(titles.length);
  });

  test('a title is one line of limited length, whatever the names are', () => {
    const text = fc.string({ unit: 'binary', maxLength: 500 });
    fc.assert(
      fc.property(fc.constantFrom(...NotificationEvent.options), text, text, (event, name, label) => {
        const title = titleOf(event, {
          inspection: { ...inspection, name },
          finding: { ...finding, label },
          action: { ...action, title: label },
          issue: { ...issue, title: label },
          schedule: { ...schedule, title: name },
          source: { ...source, name },
          connection: { ...connection, title: label },
          webhook: { ...webhook, title: label },
        });
        expect(title).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
        expect(Array.from(title).length).toBeLessThan(350);
      }),
    );
  });

  test('a long name is cut between characters', () => {
    const name = '😀'.repeat(121);
    const title = titleOf('approved', { inspection: { ...inspection, name } });
    expect(title).toBe(`Inspection 12 “${'😀'.repeat(119)}…” was approved.`);
  });
});

describe('EVENTS', () => {
  test('every preference has an event', () => {
    const kinds = new Set(NotificationEvent.options.map((event) => EVENTS[event].kind));
    expect(NotificationKind.options.filter((kind) => !kinds.has(kind))).toEqual([]);
  });
});

describe('noteText', () => {
  test.each([
    [null, ''],
    ['  Blurred\nphotos ', 'Blurred\nphotos'],
    ['x'.repeat(MAX_NOTE_LENGTH), 'x'.repeat(1_000)],
    ['x'.repeat(MAX_NOTE_LENGTH + 1), `${'x'.repeat(999)}…`],
  ])('%#', (said, note) => {
    expect(noteText(said)).toBe(note);
  });
});
