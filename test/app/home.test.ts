import { v7 as uuidv7 } from 'uuid';
import { MAX_COUNTED } from '../../shared/schemas/home-limits.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import * as write from '../../shared/table/writes.ts';
import { newLocation } from '../inspections/fixtures.ts';
import { newConnection } from '../integrations/fixtures.ts';
import { useMemoryVendor } from '../integrations/memory-vendor.ts';
import { cleanUp, newSchedule } from '../schedules/fixtures.ts';
import { as } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { callsOf, installRecorder, recording } from '../support/recorder.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

installRecorder();
beforeEach(() => void useMemoryVendor());

const AN_HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString();

let person: Person;
let admin: SignedIn;

beforeEach(async () => {
  person = await newPerson('Harbour');
  admin = await signIn(person);
});

const home = () => as(admin).app.getHome();

/** Writes rows as other changes would, a hundred at a time. */
const store = async (rows: write.Write[]): Promise<void> => {
  for (let from = 0; from < rows.length; from += 100)
    await change(person.caller, () => ({ writes: rows.slice(from, from + 100), reply: undefined }));
};

const overdueInspections = (count: number): write.Write[] =>
  Array.from({ length: count }, () => {
    const inspection_id = uuidv7();
    const deadline = { org_id: person.caller.org_id, inspection_id, due_at: AN_HOUR_AGO, version: 1 };
    return write.put({ ...keys.due(person.caller, AN_HOUR_AGO, inspection_id), ...deadline });
  });

describe('GET /app/home', () => {
  test('200 with nothing that needs attention', async () => {
    expect(await home()).toEqual({
      numbers: {
        inspections_in_progress: 0,
        inspections_pending_approval: 0,
        inspections_overdue: 0,
        corrective_actions_overdue: 0,
        issues_overdue: 0,
      },
      attention: {
        webhooks: { count: 0, first: [] },
        connections: { count: 0, first: [] },
        schedules: { count: 0, first: [] },
        mails: { waiting: 0, paused: null },
        storage: { used_bytes: 0, max_bytes: 100_000_000_000 },
      },
    });
  });

  test('200 with an endpoint that fails, and one that was disabled for it, but none that an admin disabled', async () => {
    const create = () =>
      as(admin).webhooks.create({ body: { url: 'https://hooks.example.org/in', types: ['*'] } });
    const [failing, gone, disabled] = [await create(), await create(), await create(), await create()];
    const of = ({ id }: { id: string }) => ({ params: { webhook_id: id } });
    await as(admin).webhooks.update({ ...of(disabled), body: { status: 'disabled' } });
    await store([
      write.update(keys.webhookState(person.caller, failing.id), { set: { failing_since: AN_HOUR_AGO } }),
      write.update(keys.one(person.caller, 'WEBHOOK', gone.id), {
        set: { status: 'disabled', disabled_reason: 'gone' },
      }),
    ]);
    const { webhooks } = (await home()).attention;
    expect(webhooks).toMatchObject({
      count: 2,
      first: [
        { id: failing.id, failing_since: AN_HOUR_AGO },
        { id: gone.id, disabled_reason: 'gone' },
      ],
    });
  });

  test('200 with a connection whose credential is refused, and a schedule that misses something', async () => {
    const [broken] = [await newConnection(person), await newConnection(person)];
    const last_error = { code: 'unauthorized', message: 'refused', at: AN_HOUR_AGO };
    await store([
      write.update(keys.one(person.caller, 'CONNECTION', broken.id), {
        set: { status: 'error', last_error },
      }),
    ]);
    const [stays, rests] = [await newLocation(person), await newLocation(person)];
    const schedule = await newSchedule(person, { location_ids: [stays.id, rests.id] });
    await newSchedule(person, { location_ids: [stays.id] });
    await person.locations.update({ params: { location_id: rests.id }, body: { status: 'inactive' } });
    await cleanUp(person);
    expect((await home()).attention).toMatchObject({
      connections: { count: 1, first: [{ id: broken.id, vendor: 'monday', last_error }] },
      schedules: {
        count: 1,
        first: [{ id: schedule.id, problems: [{ kind: 'location_inactive', location_id: rests.id }] }],
      },
    });
  });

  test('200 with the same number of calls, however many inspections are overdue', async () => {
    const { sent: few } = await recording(home);
    await store(overdueInspections(3));
    expect((await home()).numbers.inspections_overdue).toBe(3);
    await store(overdueInspections(MAX_COUNTED));
    const { result, sent: many } = await recording(home);
    expect(result.numbers.inspections_overdue).toBe(MAX_COUNTED);
    expect(callsOf(many)).toBe(callsOf(few));
  });
});
