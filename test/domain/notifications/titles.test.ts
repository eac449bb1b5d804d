import fc from 'fast-check';
import { LANGUAGES } from '../../../shared/base/i18n/languages.ts';
import { NOTIFICATION_TEXTS } from '../../../shared/base/i18n/texts/notifications.ts';
import { EVENTS } from '../../../shared/domain/notifications/events.ts';
import type { About } from '../../../shared/domain/notifications/mail.ts';
import { MAX_NOTE_LENGTH, noteText, titleOf } from '../../../shared/domain/notifications/text.ts';
import { NotificationEvent } from '../../../shared/schemas/notification.ts';
import { NotificationKind } from '../../../shared/schemas/preferences.ts';

const inspection = { id: 'i', number: 12, name: 'Kitchen check' };
const finding = { id: 'f', number: 3, name: 'Loose bolt' };
const action = { id: 'a', number: 4, name: 'Fasten it' };

/** All records that a title may name, and a finding or corrective action. */
const aboutAll = (name: string, entry: string): About => ({
  inspection: { ...inspection, name },
  issue: { id: 's', number: 5, name },
  schedule: { id: 't', name },
  source: { id: 'u', name },
  connection: { id: 'c', name },
  webhook: { id: 'w', name },
  organization: { id: 'o', name },
  entries: [{ ...finding, name: entry }],
});

describe('titleOf', () => {
  test.each([
    ['inspection_assigned', [], 'Inspection 12 “Kitchen check” is assigned to you.'],
    ['changes_requested', [], 'Changes were requested for inspection 12 “Kitchen check”.'],
    ['finding_created', [finding], 'Finding 3 “Loose bolt” was added to inspection 12 “Kitchen check”.'],
    [
      'corrective_action_due_soon',
      [action],
      'Corrective action 4 “Fasten it” of inspection 12 “Kitchen check” is due within 24 hours.',
    ],
  ] as const)('%s', (event, entries, title) => {
    expect(titleOf(event, { inspection, entries: [...entries] }, NOTIFICATION_TEXTS.en)).toBe(title);
  });

  test.each([
    ['de', 'Die Korrekturmaßnahme 4 „Fasten it“ der Inspektion 12 „Kitchen check“ wurde bestätigt.'],
    ['tr', '12 “Kitchen check” denetiminin 4 “Fasten it” düzeltici faaliyeti doğrulandı.'],
    ['ja', '検査 12「Kitchen check」の是正処置 4「Fasten it」が確認されました。'],
  ] as const)('in %s: %s', (language, title) => {
    const about = { inspection, entries: [action] };
    expect(titleOf('corrective_action_verified', about, NOTIFICATION_TEXTS[language])).toBe(title);
  });

  test.each(LANGUAGES)('in %s, every event has its own sentence, which names the record', (language) => {
    const titles = NotificationEvent.options.map((event) =>
      titleOf(event, aboutAll('Kitchen', 'Loose bolt'), NOTIFICATION_TEXTS[language]),
    );
    for (const title of titles) {
      expect(title).toContain('Kitchen');
      expect(title).toMatch(/[.。।]$/);
    }
    expect(new Set(titles).size).toBe(titles.length);
  });

  test('a title is one line of limited length, whatever the names are', () => {
    const text = fc.string({ unit: 'binary', maxLength: 500 });
    const event = fc.constantFrom(...NotificationEvent.options);
    fc.assert(
      fc.property(event, fc.constantFrom(...LANGUAGES), text, text, (event, language, name, entry) => {
        const title = titleOf(event, aboutAll(name, entry), NOTIFICATION_TEXTS[language]);
        expect(title).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
        expect(Array.from(title).length).toBeLessThan(375);
      }),
    );
  });

  test('a name that looks like a placeholder stays as it is', () => {
    const about = { inspection: { ...inspection, name: '{name} {action}' }, entries: [action] };
    expect(titleOf('corrective_action_due', about, NOTIFICATION_TEXTS.en)).toBe(
      'Corrective action 4 “Fasten it” of inspection 12 “{name} {action}” is due.',
    );
  });

  test('a long name is cut between characters', () => {
    const name = '😀'.repeat(121);
    const title = titleOf(
      'approved',
      { inspection: { ...inspection, name }, entries: [] },
      NOTIFICATION_TEXTS.en,
    );
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
