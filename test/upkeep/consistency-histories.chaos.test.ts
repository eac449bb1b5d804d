import { v7 as uuidv7 } from 'uuid';
import * as documents from '../../shared/files/documents.ts';
import * as instances from '../../shared/inspections/answers/instances.ts';
import * as answers from '../../shared/inspections/answers/save.ts';
import * as corrections from '../../shared/inspections/corrections/corrections.ts';
import * as attachments from '../../shared/inspections/corrective-actions/attachments.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/corrective-actions.ts';
import { create, duplicate } from '../../shared/inspections/create.ts';
import { remove } from '../../shared/inspections/deletion.ts';
import * as findings from '../../shared/inspections/findings/findings.ts';
import * as inspections from '../../shared/inspections/steps.ts';
import { update as edit } from '../../shared/inspections/update.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import * as clientAccounts from '../../shared/places/client-accounts/client-accounts.ts';
import * as locations from '../../shared/places/locations/locations.ts';
import * as reports from '../../shared/reports/rows/reports.ts';
import { NewClientAccount } from '../../shared/schemas/client-account.ts';
import { NewCorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import { NewFinding } from '../../shared/schemas/finding.ts';
import { NewAnswer } from '../../shared/schemas/inspections/answer.ts';
import { InspectionChanges, NewInspection } from '../../shared/schemas/inspections/inspection.ts';
import { NewLocation } from '../../shared/schemas/location.ts';
import { change } from '../../shared/table/change.ts';
import { keys, shards } from '../../shared/table/keys.ts';
import type { RemainsTask } from '../../shared/table/tasks.ts';
import * as write from '../../shared/table/writes.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { deleteRemains } from '../../shared/upkeep/remains.ts';
import {
  CONTENT,
  DOOR,
  DOOR_STATE,
  newDocument,
  PHOTO,
  RAIL,
  ROOM,
  ROOM_NAME,
  SECTION,
  TEXT,
} from '../answers/fixtures.ts';
import { newColleague } from '../inspections/fixtures.ts';
import { seeded } from '../support/chance.ts';
import { chaos, impatient, installFaults, withFault } from '../support/faults.ts';
import { waitingTasks } from '../support/outbox.ts';
import { newPerson } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { underWay } from '../support/under-way.ts';
import { publishedFamily } from '../templates/fixtures.ts';

installFaults();
impatient(150);

const REFS = ['a', 'b', 'c', null];
const DATES = ['2020-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z', null];

/** Nothing exists yet that a turn could change. */
class NothingYet extends Error {}

/** An organization in which several clients make all changes that affect counters and lists. */
const newTraffic = async (name: string, seed: number) => {
  const person = await newPerson(name);
  const { caller } = person;
  const random = seeded(seed);
  const pick = <Value>(values: readonly Value[]): Value => {
    if (values.length === 0) throw new NothingYet();
    return values[Math.floor(random() * values.length)]!;
  };
  const people = [caller.user_id, (await newColleague(person, 'Rolf')).user_id];
  const photos = await Promise.all([1, 2, 3].map(() => newDocument(person)));
  const media = () => photos.filter(() => random() < 0.4).map((document_id) => ({ document_id }));
  const families = await Promise.all(
    [false, true].map((requires_approval) =>
      publishedFamily(person.key, {
        content: CONTENT,
        requires_approval,
        settings: {
          approval: { allow_api: true, four_eyes: false },
          correction_mode: requires_approval ? 'reapprove' : 'tracked',
        },
      }),
    ),
  );
  const known = {
    clients: [] as string[],
    locations: [] as string[],
    inspections: [] as string[],
    findings: [] as string[],
    actions: [] as string[],
    files: [] as string[],
    reports: [] as [string, string][],
    attachments: [] as [string, string][],
    corrections: [] as [string, string][],
  };
  const remember = async (list: string[], made: Promise<{ id: string }>) => list.push((await made).id);

  const answer = () => {
    const room = `${ROOM}[${pick([0, 1])}]`;
    return NewAnswer.parse(
      pick([
        { section_id: SECTION, field_id: TEXT, value: pick(['a', 'b', null]), media: media() },
        { section_id: SECTION, field_id: RAIL, value: pick(['pass', 'fail', 'fail', null]) },
        { section_id: SECTION, field_id: PHOTO, value: media() },
        { section_id: ROOM, field_id: ROOM_NAME, instance_path: room, value: pick(['Hall', 'Attic', null]) },
        {
          section_id: DOOR,
          field_id: DOOR_STATE,
          instance_path: `${room}/${DOOR}[0]`,
          value: pick(['yes', 'no', null]),
        },
      ]),
    );
  };
  const setup = () => ({
    client_account_id: pick([...known.clients, null]),
    location_id: pick([...known.locations, null, null, null]),
    // The second participant never submits a part.
    participants: people
      .filter((_, other) => random() < 0.4 / (1 + 3 * other))
      .map((user_id) => ({ user_id })),
    due_at: pick(DATES),
    external_ref: pick(REFS),
  });
  const turns: [weight: number, turn: () => Promise<unknown>][] = [
    [2, () => remember(known.clients, clientAccounts.create(caller, NewClientAccount.parse({ name: 'c' })))],
    [
      2,
      () =>
        remember(
          known.locations,
          locations.create(
            caller,
            NewLocation.parse({
              name: pick(['Yard', 'Pier']),
              client_account_id: pick([...known.clients, null]),
            }),
          ),
        ),
    ],
    [1, () => locations.update(caller, pick(known.locations), { name: pick(['Dock', 'Quay']) })],
    [
      1,
      () => locations.update(caller, pick(known.locations), { parent_id: pick([...known.locations, null]) }),
    ],
    [1, () => locations.remove(caller, pick(known.locations))],
    [
      4,
      () =>
        remember(
          known.inspections,
          create(caller, NewInspection.parse({ ...setup(), template_family_id: pick(families).id })),
        ),
    ],
    [1, () => remember(known.inspections, duplicate(caller, pick(known.inspections)))],
    [3, () => edit(caller, pick(known.inspections), InspectionChanges.parse(setup()))],
    [9, () => inspections.advance(caller, pick(known.inspections), {})],
    [
      2,
      () => inspections.advance(caller, pick(known.inspections), { decision: pick(['approve', 'reject']) }),
    ],
    [1, () => inspections.archive(caller, pick(known.inspections))],
    [3, () => inspections.restore(caller, pick(known.inspections))],
    [1, () => remove(caller, pick(known.inspections))],
    [12, () => answers.replace(caller, pick(known.inspections), answer())],
    [1, () => instances.removeInstance(caller, pick(known.inspections), `${ROOM}[0]`)],
    [
      3,
      () => {
        const content = { media: media() };
        const made = NewFinding.parse({ label: 'Loose bolt', content });
        return remember(known.findings, findings.create(caller, pick(known.inspections), made));
      },
    ],
    [1, () => findings.updateContent(caller, pick(known.findings), { media: media() } as object)],
    [1, () => findings.remove(caller, pick(known.findings))],
    [
      3,
      () => {
        const made = NewCorrectiveAction.parse({
          title: 'Tighten it',
          assignee_id: pick([...people, null]),
          due_at: pick(DATES),
          external_ref: pick(REFS),
        });
        return remember(known.actions, correctiveActions.create(caller, pick(known.findings), made));
      },
    ],
    [
      3,
      () =>
        correctiveActions.update(caller, pick(known.actions), {
          status: pick(['in_progress', 'pending_verification', 'cancelled']),
          ...(random() < 0.3 && { due_at: pick(DATES), assignee_id: pick([...people, null]) }),
        }),
    ],
    [1, () => correctiveActions.reopen(caller, pick(known.actions), 'again')],
    [
      2,
      async () => {
        const id = pick(known.actions);
        const made = { document_id: pick(photos), stage: pick(['before', 'after'] as const), caption: '' };
        known.attachments.push([id, (await attachments.attach(caller, id, made)).id]);
      },
    ],
    [1, () => attachments.detach(caller, ...pick(known.attachments))],
    [
      4,
      async () => {
        const id = pick(known.inspections);
        known.corrections.push([id, (await corrections.open(caller, id, { reason: 'Late' })).id]);
      },
    ],
    [
      3,
      () => {
        const file = {
          id: uuidv7(),
          file_name: 'a',
          mime_type: 'text/plain',
          size_bytes: pick([1, 20, 300]),
        };
        const texts = { title: 'a', description: '', category: '', tags: [] };
        return remember(known.files, documents.create(caller, file, texts));
      },
    ],
    [2, () => documents.remove(caller, pick(known.files))],
    [
      1,
      () =>
        organizations.setLogo(caller, { key: uuidv7(), bytes: pick([5, 60]) }, undefined, async () => null),
    ],
    [1, () => organizations.setLogo(caller, null, undefined, async () => null)],
    [
      3,
      async () => {
        const id = pick(known.inspections);
        known.reports.push([id, (await reports.create(caller, id, { layout_id: null, language: null })).id]);
      },
    ],
    [
      3,
      async () => {
        const report = await reports.begin(caller, ...pick(known.reports));
        const look = { is_draft: false, language: null };
        const rendered = { page_count: 1, content_hash: '', warnings: [], shows: '', sha256: '', ...look };
        const ready = { status: 'ready' as const, ...rendered, size_bytes: pick([7, 80]), payload_bytes: 9 };
        if (report) await reports.end(caller, report, pick([ready, ready, { status: 'failed', error: '' }]));
      },
    ],
    [1, () => corrections.close(caller, ...pick(known.corrections))],
    [1, () => corrections.discard(caller, ...pick(known.corrections))],
    ...[corrections.approve, corrections.requestChanges, corrections.reject].map(
      (decide): [number, () => Promise<unknown>] => [
        1,
        () => {
          const [inspection_id, correction_id] = pick(known.corrections);
          return decide(caller, { inspection_id, correction_id, comment: 'Late' });
        },
      ],
    ),
    [
      1,
      async () => {
        const id = pick(known.clients);
        await clientAccounts.remove(caller, id, { cascade: random() < 0.5 });
        await deleteRemains(caller, { client_account_id: id }, Number.POSITIVE_INFINITY);
      },
    ],
  ];
  const bag = turns.flatMap(([weight, turn]) => Array.from({ length: weight }, () => turn));
  const counts = { done: 0, refused: 0, unknown: 0 };

  const take = async (): Promise<void> => {
    try {
      await pick(bag)();
      counts.done += 1;
    } catch (error) {
      if (error instanceof NothingYet) return;
      const { status } = error as { status?: number };
      if (status === undefined) throw error;
      counts[status === 503 ? 'unknown' : 'refused'] += 1;
    }
  };
  const live = async (clients: number, each: number) => {
    const client = async () => {
      for (let turn = 0; turn < each; turn += 1) await take();
    };
    await Promise.all(Array.from({ length: clients }, client));
    return counts;
  };
  return { person, caller, random, live };
};

const CONSISTENT = { found: 0, unsettled: 0, differences: [] };

describe('checkOrganization during traffic', () => {
  test.each(scaled([1], [1, 2, 3]))(
    'finds no difference after concurrency and failure (history %i)',
    async (seed) => {
      const { caller, random, live } = await newTraffic(`History ${seed}`, seed);
      // Something is done, whatever fails afterwards.
      while ((await live(1, 10)).done < 10);
      const faults = underWay(chaos(random, { refused: 0.08, lost: 0.08 }));
      await withFault(faults.fault, () => live(4, 60));
      // A request that timed out may still be carried out.
      await faults.ended();
      for (const { data } of await waitingTasks(caller))
        if ('moved_inspection_id' in data || 'turned_inspection_id' in data)
          await deleteRemains(caller, data as RemainsTask, Number.POSITIVE_INFINITY);
      expect(await checkOrganization(caller, { repair: false })).toMatchObject(CONSISTENT);
    },
  );

  test('takes no change in progress for a difference, and damages nothing', async () => {
    const { caller, live } = await newTraffic('Busy', 4);
    await live(2, scaled(20, 40));
    const traffic = { isOver: false };
    const watching = (async () => {
      const seen = [];
      while (!traffic.isOver) seen.push(await checkOrganization(caller, { repair: true }));
      return seen;
    })();
    await live(3, scaled(40, 100));
    traffic.isOver = true;
    const seen = await watching;
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.flatMap(({ differences }) => differences)).toEqual([]);
    expect(await checkOrganization(caller, { repair: false })).toMatchObject(CONSISTENT);
  });

  test('repairs differences during traffic', async () => {
    const { caller, live } = await newTraffic('Busy and damaged', 5);
    await live(2, scaled(30, 60));
    await change(caller, () => ({
      writes: shards().flatMap((shard) => [
        write.update(keys.counter(caller, 'INSPECTION', shard), { add: { completed: 3, scheduled: -1 } }),
        write.update(keys.storedBytes(caller, shard), { add: { bytes: 1_000 } }),
      ]),
      reply: null,
    }));
    const [{ mended }] = await Promise.all([
      checkOrganization(caller, { repair: true }),
      live(2, scaled(30, 60)),
    ]);
    const rest = await checkOrganization(caller, { repair: true });
    expect(rest.found).toBe(rest.mended);
    expect(mended + rest.mended).toBe(2 * shards().length);
    expect(await checkOrganization(caller, { repair: false })).toMatchObject(CONSISTENT);
  });
});
