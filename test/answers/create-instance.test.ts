import * as deleteRemains from '../../functions/workers/delete-remains.ts';
import * as errors from '../../shared/base/errors.ts';
import type { Instance } from '../../shared/schemas/inspections/answer.ts';
import { checkInspection } from '../../shared/upkeep/consistency/inspection.ts';
import { openCorrection } from '../corrections/fixtures.ts';
import { advance, newInspection, sortKeysBelow } from '../inspections/fixtures.ts';
import { locs, statusCounts } from '../support/call.ts';
import { uuid } from '../support/content.ts';
import { installFaults, on, sdkError, withFault } from '../support/faults.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import {
  answering,
  beforeWriting,
  DOOR,
  DOOR_STATE,
  inspectionOf,
  recordsOf,
  reserve,
  reserved,
  ROOM,
  ROOM_NAME,
  saved,
  SECTION,
  WALLS,
} from './fixtures.ts';

installFaults();

let person: Person;

beforeEach(async () => {
  person = await newPerson('Surveyor');
});

type At = { id: string };

const room = (i: number) => `${ROOM}[${i}]`;

const nameRoom = (inspection: At, i: number, value: unknown = 'Hall') =>
  saved(person, inspection, { section_id: ROOM, field_id: ROOM_NAME, instance_index: i, value });

const checkDoor = (inspection: At, outer: string, i: number) =>
  saved(person, inspection, {
    section_id: DOOR,
    field_id: DOOR_STATE,
    instance_path: `${outer}/${DOOR}[${i}]`,
    value: 'yes',
  });

const remove = ({ id }: At, instance_path: string) =>
  person.try.answers.deleteInstance({ params: { inspection_id: id }, query: { instance_path } });

const indexOf = async (...request: Parameters<typeof reserve>): Promise<number> =>
  (await reserved(...request)).instance_index;

const doorIn = (outer: string) => ({ section_id: DOOR, parent_path: outer });

describe('POST /inspections/{inspection_id}/instances', () => {
  test('201 with the next index, 200 with the same instance for the same id', async () => {
    const inspection = await answering(person);
    const first = await reserve(person, inspection, 'hall');
    expect(first).toMatchObject({ status: 201 });
    expect(first.body).toEqual({
      section_id: ROOM,
      parent_path: '',
      client_instance_id: 'hall',
      instance_index: 0,
      instance_path: room(0),
      created_by: person.caller.user_id,
      created_at: expect.any(String),
    });
    expect(await indexOf(person, inspection, 'kitchen')).toBe(1);
    const again = await reserve(person, inspection, 'hall', { parent_path: '' });
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  test('201 with an index that no record has, cleared, prefilled or of an inner section', async () => {
    const inspection = await answering(person);
    await nameRoom(inspection, 1);
    expect(await indexOf(person, inspection, 'a')).toBe(2);
    await nameRoom(inspection, 3, null);
    expect(await indexOf(person, inspection, 'b')).toBe(4);
    await checkDoor(inspection, room(6), 2);
    expect(await indexOf(person, inspection, 'c')).toBe(7);
    expect(await indexOf(person, inspection, 'd', doorIn(room(6)))).toBe(3);
    expect(await indexOf(person, inspection, 'e', doorIn(room(7).toUpperCase()))).toBe(0);
    const prefilled = await newInspection(person, {
      template_family_id: inspection.template_family_id,
      prefill_from_inspection_id: inspection.id,
    });
    expect(await indexOf(person, prefilled, 'f')).toBe(7);
  });

  test('201 with the lowest free index at the end of the section, and 409 when none is free', async () => {
    const inspection = await answering(person);
    await checkDoor(inspection, room(0), 4);
    await checkDoor(inspection, room(0), 1);
    const indexes: number[] = [];
    for (const id of ['a', 'b', 'c']) indexes.push(await indexOf(person, inspection, id, doorIn(room(0))));
    expect(indexes).toEqual([0, 2, 3]);
    const { status, body } = await reserve(person, inspection, 'd', doorIn(room(0)));
    expect([status, body.detail]).toEqual([409, errors.tooManyInstances('Doors', 5).detail]);
    expect(await indexOf(person, inspection, 'd', doorIn(room(1)))).toBe(0);
  });

  test('201 for as many devices at once, each with an index of its own', async () => {
    const inspection = await answering(person);
    const result = await Promise.all(
      Array.from({ length: 8 }, (_, n) => reserve(person, inspection, `room ${n}`)),
    );
    expect(statusCounts(result)).toEqual({ 201: 8 });
    const indexes = result.map(({ body }) => (body as Instance).instance_index);
    expect(indexes.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test('201 once for the same id sent several times at once, and 200 otherwise', async () => {
    const inspection = await answering(person);
    const result = await Promise.all(Array.from({ length: 5 }, () => reserve(person, inspection, 'hall')));
    expect(statusCounts(result)).toEqual({ 200: 4, 201: 1 });
    expect(new Set(result.map(({ text }) => text)).size).toBe(1);
    expect(await indexOf(person, inspection, 'kitchen')).toBe(1);
  });

  test('201 with another index when an answer takes it meanwhile, 409 when the inspection is locked', async () => {
    const inspection = await answering(person);
    const answered = beforeWriting(() => nameRoom(inspection, 0));
    expect(await withFault(answered, () => indexOf(person, inspection, 'hall'))).toBe(1);
    const locked = beforeWriting(() => advance(person.key, inspection));
    const { status, body } = await withFault(locked, () => reserve(person, inspection, 'kitchen'));
    expect([status, body.detail]).toEqual([409, errors.inspectionLocked('completed').detail]);
  });

  test('201 in a correction; 409 for a locked inspection, where a known id still gets its instance', async () => {
    const inspection = await answering(person);
    const first = await reserved(person, inspection, 'hall');
    await advance(person.key, inspection);
    expect((await reserve(person, inspection, 'hall')).body).toEqual(first);
    const { status, body } = await reserve(person, inspection, 'kitchen');
    expect([status, body.detail]).toEqual([409, errors.inspectionLocked('completed').detail]);
    await openCorrection(person, inspection);
    expect(await indexOf(person, inspection, 'kitchen')).toBe(1);
  });

  test('201 and nothing counts before it is answered; the inspection can be deleted, and the reservation goes too', async () => {
    const inspection = await answering(person);
    await reserved(person, inspection, 'hall');
    expect(await sortKeysBelow(person, inspection)).toHaveLength(2);
    expect(await recordsOf(person, inspection)).toEqual([]);
    expect(await inspectionOf(person, inspection)).toEqual(inspection);
    const checks = await checkInspection(person.caller, inspection.id);
    expect(checks.flatMap(({ differences }) => differences)).toEqual([]);
    const params = { inspection_id: inspection.id };
    expect((await person.try.inspections.delete({ params })).status).toBe(204);
    const tasks = (await waitingTasks(person.caller)).filter(({ outbox }) => outbox === 'cleanup');
    for (const task of tasks) expect(await deliver(deleteRemains.handler, task)).toBe(true);
    expect(await sortKeysBelow(person, inspection)).toEqual([]);
  });

  test('409 for an id that belongs to another section or parent', async () => {
    const inspection = await answering(person);
    await reserved(person, inspection, 'front', doorIn(room(0)));
    for (const request of [doorIn(room(1)), { section_id: ROOM }]) {
      const { status, body } = await reserve(person, inspection, 'front', request);
      expect([status, body.detail]).toEqual([409, errors.instanceIdUsed(`${room(0)}/${DOOR}[0]`).detail]);
    }
    expect(await indexOf(person, await answering(person), 'front')).toBe(0);
  });

  test('400 for a section that the inspection does not have', async () => {
    const { status, body } = await reserve(person, await answering(person), 'hall', { section_id: uuid(98) });
    expect([status, body.detail]).toEqual([
      400,
      errors.notInTemplate('section_id is not a section of this inspection').detail,
    ]);
  });

  test('422 for a section that does not repeat, and a path that does not lead to the section', async () => {
    const inspection = await answering(person);
    const refused: [body: object, place: string][] = [
      [{ section_id: SECTION }, 'section_id'],
      [{ section_id: WALLS, parent_path: room(0) }, 'section_id'],
      [{ section_id: ROOM, parent_path: room(0) }, 'parent_path'],
      [doorIn(''), 'parent_path'],
      [doorIn(`${DOOR}[0]`), 'parent_path'],
      [doorIn(`${ROOM}[00]`), 'parent_path'],
      [doorIn(`${room(0)}/${DOOR}[0]`), 'parent_path'],
      [doorIn(room(300)), 'parent_path'],
      [{ client_instance_id: '' }, 'client_instance_id'],
      [{ client_instance_id: 'x'.repeat(101) }, 'client_instance_id'],
    ];
    for (const [body, place] of refused) {
      const answer = await reserve(person, inspection, 'hall', body);
      expect([body, answer.status, locs(answer)]).toEqual([body, 422, [`body.${place}`]]);
    }
    expect(await indexOf(person, inspection, 'x'.repeat(100), doorIn(room(299)))).toBe(0);
  });
});

describe('DELETE /inspections/{inspection_id}/responses', () => {
  test('204 for a reserved instance with the reservations in it; then its id gets a new one', async () => {
    const inspection = await answering(person);
    const hall = await reserved(person, inspection, 'hall');
    await reserved(person, inspection, 'front', doorIn(hall.instance_path));
    expect((await remove(inspection, hall.instance_path)).status).toBe(204);
    expect((await remove(inspection, hall.instance_path)).status).toBe(404);
    expect(await indexOf(person, inspection, 'front', doorIn(room(2)))).toBe(0);
    await nameRoom(inspection, 0);
    const again = await reserved(person, inspection, 'hall');
    expect(again.instance_path).toBe(room(3));
    await nameRoom(inspection, 3);
    expect((await remove(inspection, room(3))).status).toBe(204);
    expect((await reserve(person, inspection, 'hall')).status).toBe(201);
  });

  test('204 when it is sent again after an interruption between the answers and the reservation', async () => {
    const inspection = await answering(person);
    const hall = await reserved(person, inspection, 'hall');
    await nameRoom(inspection, 0);
    let transactions = 0;
    const breakOff = on(
      ({ command }) => command === 'TransactWriteItems' && (transactions += 1) === 2,
      () => {
        throw sdkError('ValidationException');
      },
    );
    const { status } = await withFault(breakOff, () => remove(inspection, hall.instance_path));
    expect([status, await recordsOf(person, inspection)]).toEqual([500, []]);
    expect((await reserve(person, inspection, 'hall')).status).toBe(200);
    expect((await remove(inspection, hall.instance_path)).status).toBe(204);
    expect((await reserve(person, inspection, 'hall')).status).toBe(201);
  });
});
