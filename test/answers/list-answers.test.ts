import * as listAnswers from '../../functions/answers/list-answers.ts';
import { call } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { answering, NUMBER, recordsOf, ROOM, ROOM_NAME, saved, TEXT } from './fixtures.ts';

installRecorder();

describe('GET /inspections/{inspection_id}/responses', () => {
  let person: Person;
  let inspection: { id: string };
  const list = (query = {}, as = person.key, id = inspection.id) =>
    call(listAnswers, { as, params: { inspection_id: id }, query });

  beforeAll(async () => {
    person = await newPerson('Reader');
    inspection = await answering(person);
    for (const field_id of [TEXT, NUMBER]) await saved(person, inspection, { field_id, value: null });
    for (const instance_index of [0, 1, 2])
      await saved(person, inspection, { section_id: ROOM, field_id: ROOM_NAME, instance_index, value: 'x' });
  });

  test('200 with every record, cleared ones too, the same page by page and all at once', async () => {
    const all = await recordsOf(person, inspection);
    expect(all).toHaveLength(5);
    const pages: unknown[] = [];
    let cursor: string | undefined;
    do {
      const { status, body, headers } = await list({ limit: 2, ...(cursor && { cursor }) });
      expect(status).toBe(200);
      pages.push(...body);
      cursor = /cursor=([^>&]+)/.exec(headers['link'] ?? '')?.[1];
    } while (cursor);
    expect(pages).toEqual(all);
  });

  test('200 with the records of one section, and with those saved since a time', async () => {
    const inRoom = await recordsOf(person, inspection, { section_id: ROOM.toUpperCase() });
    expect(inRoom.map(({ instance_index }) => instance_index)).toEqual([0, 1, 2]);
    const since = inRoom.at(-1)!.updated_at;
    expect((await recordsOf(person, inspection, { updated_since: since })).map(({ id }) => id)).toContain(
      inRoom[2]!.id,
    );
    expect(await recordsOf(person, inspection, { updated_since: '2999-01-01T00:00:00Z' })).toEqual([]);
  });

  test('200 with the records of one instance alone, and with those outside repeat sections', async () => {
    const one = await recordsOf(person, inspection, {
      section_id: ROOM,
      instance_path: `${ROOM.toUpperCase()}[1]`,
    });
    expect(one.map(({ instance_path }) => instance_path)).toEqual([`${ROOM}[1]`]);
    const outside = await recordsOf(person, inspection, { instance_path: '' });
    expect(outside.map(({ field_id }) => field_id)).toEqual([TEXT, NUMBER]);
    expect(await recordsOf(person, inspection, { instance_path: `${ROOM}[9]` })).toEqual([]);
    expect((await list({ instance_path: 'a b' })).status).toBe(422);
  });

  test('404 for an inspection of another organization, 422 for a cursor of another inspection', async () => {
    expect((await list({}, (await newPerson('Stranger')).key)).status).toBe(404);
    const { headers } = await list({ limit: 2 });
    const [, cursor] = /cursor=([^>&]+)/.exec(headers['link']!)!;
    const other = await answering(person);
    expect((await list({ limit: 2, cursor: cursor! }, person.key, other.id)).status).toBe(422);
  });

  test('200 in three calls when the content is in memory', async () => {
    const { sent } = await recording(() => list());
    expect(sent.tableCalls - sent.stamps + 1).toBe(3);
  });
});
