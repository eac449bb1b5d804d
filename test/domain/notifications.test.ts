import fc from 'fast-check';
import { kindOf, noteOf, titleOf } from '../../shared/domain/notifications.ts';
import { NotificationEvent } from '../../shared/schemas/notification.ts';
import { NotificationKind } from '../../shared/schemas/preferences.ts';

const inspection = { id: 'i', number: 12, name: 'Kitchen check' };
const finding = { id: 'f', number: 3, label: 'Loose bolt' };
const action = { id: 'a', number: 4, title: 'Fasten it' };
const KITCHEN = 'nspection 12 “Kitchen check”';

describe('titleOf', () => {
  test.each([
    ['inspection_assigned', 'Inspection 12 “Kitchen check” is assigned to you.'],
    ['changes_requested', 'Changes to inspection 12 “Kitchen check” are requested.'],
    ['finding_created', 'Finding 3 “Loose bolt” was made in inspection 12 “Kitchen check”.'],
    [
      'corrective_action_due_soon',
      'Corrective action 4 “Fasten it” of inspection 12 “Kitchen check” is due within 24 hours.',
    ],
  ] as const)('of %s', (event, title) => {
    expect(titleOf(event, { inspection, finding, action })).toBe(title);
  });

  test('names the inspection whatever happened, in a sentence of its own for each', () => {
    const titles = NotificationEvent.options.map((event) => titleOf(event, { inspection, finding, action }));
    for (const title of titles) expect(title).toMatch(new RegExp(`^[A-Z].*${KITCHEN}.*\\.$`));
    expect(new Set(titles).size).toBe(titles.length);
  });

  test('is one line of bounded length, whatever is named', () => {
    const text = fc.string({ unit: 'binary', maxLength: 500 });
    fc.assert(
      fc.property(fc.constantFrom(...NotificationEvent.options), text, text, (event, name, label) => {
        const title = titleOf(event, {
          inspection: { ...inspection, name },
          finding: { ...finding, label },
          action: { ...action, title: label },
        });
        expect(title).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
        expect(Array.from(title).length).toBeLessThan(350);
      }),
    );
  });

  test('cuts a long name between characters', () => {
    const name = '😀'.repeat(121);
    const title = titleOf('approved', { inspection: { ...inspection, name } });
    expect(title).toBe(`Inspection 12 “${'😀'.repeat(119)}…” is approved.`);
  });
});

describe('kindOf', () => {
  test('is a preference; only that of syncs has no event', () => {
    const kinds = new Set(NotificationEvent.options.map(kindOf));
    expect(NotificationKind.options.filter((kind) => !kinds.has(kind))).toEqual(['sync_status']);
  });
});

describe('noteOf', () => {
  test.each([
    [null, ''],
    ['  Blurred\nphotos ', 'Blurred\nphotos'],
    ['x'.repeat(1_000), 'x'.repeat(1_000)],
    ['x'.repeat(1_001), `${'x'.repeat(999)}…`],
  ])('%#', (said, note) => {
    expect(noteOf(said)).toBe(note);
  });
});
