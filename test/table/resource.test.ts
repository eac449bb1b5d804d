import fc from 'fast-check';
import { actionRecords } from '../../shared/inspections/rows/corrective-action-records.ts';
import { inspectionRecords } from '../../shared/inspections/rows/inspection-records.ts';
import { issueRecords } from '../../shared/inspections/rows/issue-records.ts';
import { categoryRecords } from '../../shared/issues/categories.ts';
import { clientAccountRecords } from '../../shared/places/client-accounts/client-accounts.ts';
import { locationRecords } from '../../shared/places/locations/records.ts';
import { scheduleRecords } from '../../shared/schedules/records.ts';
import type { Work } from '../../shared/table/change.ts';
import { nameOfKey } from '../../shared/table/keys.ts';
import { type Facts, follow } from '../../shared/table/resource.ts';
import type { Write } from '../../shared/table/writes.ts';

const work: Work = { org_id: 'o', user_id: 'u', name: 'Ada', now: '2030-01-01T00:00:00.000Z' };

const idOf = (kind: string) => fc.constantFrom('1', '2', '3').map((number) => `${kind}-${number}`);
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 2 });
const time = fc.constantFrom('2031-01-01T00:00:00.000Z', '2032-06-01T12:00:00.000Z');
const shown = fc.uniqueArray(idOf('document')).map((ids) => ids.map((document_id) => ({ document_id })));

/** States of one resource of each kind: the fields that something follows from. */
const RESOURCES: Readonly<Record<string, [facts: unknown, states: fc.Arbitrary<object>]>> = {
  inspection: [
    inspectionRecords,
    fc.record({
      id: fc.constant('inspection'),
      status: fc.constantFrom('draft', 'in_progress', 'pending_approval', 'completed', 'archived'),
      due_at: orNull(time),
      template_family_id: idOf('family'),
      template_id: idOf('template'),
      client_account_id: orNull(idOf('client')),
      location_id: orNull(idOf('location')),
      issue_id: orNull(idOf('issue')),
      reinspection_of_id: orNull(idOf('inspection')),
      external_ref: orNull(idOf('ref')),
      participants: fc.uniqueArray(idOf('user')).map((ids) => ids.map((user_id) => ({ user_id }))),
      start_answers: fc.record({ site: shown }),
      schedule_id: orNull(idOf('schedule')),
      scheduled_for: orNull(time),
      occurrence_date: fc.constant('2031-02-02'),
      name: fc.constantFrom('Kitchen', 'Roof'),
    }),
  ],
  'corrective action': [
    actionRecords,
    fc.record({
      id: fc.constant('action'),
      inspection_id: fc.constant('inspection'),
      status: fc.constantFrom('open', 'in_progress', 'completed', 'verified'),
      assignee_id: orNull(idOf('user')),
      due_at: orNull(time),
      issue_id: orNull(idOf('issue')),
      external_ref: orNull(idOf('ref')),
      listed_under: fc.record({
        client_account_id: orNull(idOf('client')),
        location_id: orNull(idOf('location')),
        template_family_id: idOf('family'),
        field_id: orNull(idOf('field')),
      }),
    }),
  ],
  issue: [
    issueRecords,
    fc.record({
      id: fc.constant('issue'),
      status: fc.constantFrom('open', 'in_progress', 'resolved'),
      due_at: orNull(time),
      assignee_id: orNull(idOf('user')),
      category_id: orNull(idOf('category')),
      client_account_id: orNull(idOf('client')),
      location_id: orNull(idOf('location')),
      external_ref: orNull(idOf('ref')),
      answers: shown,
      media: shown,
    }),
  ],
  location: [
    locationRecords,
    fc.record({
      id: fc.constant('location'),
      name: fc.constantFrom('Harbour', 'Ärger', 'Haus'),
      status: fc.constantFrom('active', 'inactive'),
      source: fc.constantFrom('local', 'synced'),
      client_account_id: orNull(idOf('client')),
      parent_id: orNull(idOf('location')),
      external_ref: orNull(idOf('ref')),
    }),
  ],
  'client account': [
    clientAccountRecords,
    fc.record({ id: fc.constant('client'), external_ref: orNull(idOf('ref')) }),
  ],
  'issue category': [
    categoryRecords,
    fc.record({ id: fc.constant('category'), name: fc.constantFrom('Slip', 'slip', 'Fire') }),
  ],
  schedule: [
    scheduleRecords,
    fc.record({
      id: fc.constant('schedule'),
      template_family_id: idOf('family'),
      client_account_id: orNull(idOf('client')),
      external_ref: orNull(idOf('ref')),
      location_ids: fc.uniqueArray(idOf('location'), { maxLength: 3 }),
      asset_ids: fc.uniqueArray(idOf('asset'), { maxLength: 3 }),
      problems: fc.constantFrom([], [{ kind: 'location_deleted', resource_id: 'location-1', since: '' }]),
    }),
  ],
};

/** What writes have left behind: the rows, and the counters that are not 0. */
class Table {
  readonly rows = new Map<string, object>();
  readonly counts: Record<string, number> = {};

  apply(writes: readonly Write[]): this {
    // A transaction may write a row only once.
    expect(new Set(writes.map(({ key }) => nameOfKey(key))).size).toBe(writes.length);
    for (const { key, item, add = {} } of writes) {
      if (item.Put) this.rows.set(nameOfKey(key), item.Put.Item!);
      if (item.Delete) this.rows.delete(nameOfKey(key));
      for (const [counter, count] of Object.entries(add)) {
        // How often a list has changed is no state of it.
        if (counter === 'changes') continue;
        const name = `${nameOfKey(key)} ${counter}`;
        this.counts[name] = (this.counts[name] ?? 0) + count;
        if (this.counts[name] === 0) delete this.counts[name];
      }
    }
    return this;
  }
}

test.each(Object.entries(RESOURCES))(
  'what follows from a %s is the same after any history as for a new one',
  (_, [facts, states]) => {
    const resource = facts as Facts<{ id: string }>;
    fc.assert(
      fc.property(fc.array(states, { minLength: 1, maxLength: 6 }), (history) => {
        const table = new Table();
        let before: { id: string } | undefined;
        for (const state of history as { id: string }[]) {
          table.apply(follow(resource, work, before, state));
          before = state;
        }
        const { rows, counts } = new Table().apply(follow(resource, work, undefined, before));
        expect([table.rows, table.counts]).toEqual([rows, counts]);
        table.apply(follow(resource, work, before, undefined));
        expect([table.rows, table.counts]).toEqual([new Map(), {}]);
      }),
    );
  },
);
