import { unmarshall } from '@aws-sdk/util-dynamodb';
import { FORM, formAt, formOf, type Stored, upgraded } from '../../shared/db/table/forms.ts';
import { INTERNAL_ATTRIBUTES, kindOf } from '../../shared/db/table/keys.ts';
import { frozenRows, RELEASES } from './frozen.ts';

/** The attributes that no upgrade changes: those of keys and of indexes, and the time to live. */
const KEPT = INTERNAL_ATTRIBUTES.filter((attribute) => attribute !== FORM);

const kept = (row: Stored) => KEPT.map((attribute) => row[attribute]);

describe.each(RELEASES)('the rows of release %s', (release) => {
  const rows = frozenRows(release).map((row) => unmarshall(row) as Stored);

  test('are of kinds and forms that this release knows', () => {
    const unknown = rows.filter((row) => !kindOf(row) || formOf(row) > formAt(row));
    expect(unknown.map(({ pk, sk }) => `${pk} ${sk}`)).toEqual([]);
  });

  test('keep their keys and those of indexes when they are upgraded, and do not change when that happens again', () => {
    for (const row of rows) {
      const next = upgraded(row);
      expect(kept(next)).toEqual(kept(row));
      // An older release has changed the row since then, so that it has its former form.
      const { [FORM]: _, ...again } = next;
      expect(upgraded({ ...again, [FORM]: formOf(row) })).toEqual({ ...next, [FORM]: formAt(row) });
    }
  });

  test('let keys act for the people who are active members, and for nobody who has withdrawn that since', () => {
    const members = rows.filter((row) => kindOf(row) === 'MEMBER');
    const statuses = new Set(members.map(({ status, role }) => `${String(role)} ${String(status)}`));
    expect([...statuses]).toEqual(
      expect.arrayContaining(['admin active', 'admin suspended', 'api active', 'inspector invited']),
    );
    for (const row of members) {
      const { status, role, created_at } = row;
      const since = status === 'active' && role !== 'api' ? created_at : null;
      expect(upgraded(row)['acting_consented_at']).toBe(since);
      const withdrawn = { ...row, acting_consented_at: null };
      expect(upgraded(withdrawn)['acting_consented_at']).toBeNull();
    }
  });
});
