import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runningOn } from '../../../infra/local/attach.ts';
import type { Inspection } from '../../../shared/schemas/inspections/inspection.ts';
import { as } from '../../support/call.ts';
import { contentWith, field, uuid } from '../../support/content.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { endServices, start } from '../../support/processes/service.ts';
import { publishedFamily } from '../../templates/fixtures.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kill-test-'));
});
afterAll(async () => {
  endServices();
  await rm(dataDir, { recursive: true, force: true });
});

/** A field that has a finding while it is answered `fail`. */
const CHECK = field(2, 'pass_fail_na', { finding: { create: 'auto' } });

/** What the service confirmed about an inspection before it was killed. */
interface Confirmed {
  inspection: Inspection;
  isStarted: boolean;
  version: number;
}

/** Creates, starts and answers inspections until the service no longer replies. */
const work = async ({ key }: Person, template_family_id: string, confirmed: Confirmed[]): Promise<void> => {
  for (let round = 0; ; round += 1) {
    const created = await as(key).try.inspections.create({
      body: { template_family_id, external_ref: `${key} ${round}` },
    });
    if (created.status !== 201) return;
    const entry: Confirmed = { inspection: created.body, isStarted: false, version: 0 };
    confirmed.push(entry);
    const params = { inspection_id: entry.inspection.id };
    entry.isStarted = (await as(key).try.inspections.start({ params })).status === 200;
    for (const value of ['fail', 'pass', 'fail']) {
      const body = { section_id: uuid(1), field_id: uuid(2), value };
      const saved = await as(key).try.answers.replace({ params, body });
      if (saved.status === 200) entry.version = saved.body.version;
    }
  }
};

const pointTo = async (url: string): Promise<void> => {
  Object.assign(process.env, await runningOn(dataDir), { API_URL: url });
};

describe('SIGKILL under load', () => {
  test('keeps every confirmed change complete, and the counters agree with the rows', async () => {
    const first = await start({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
    await pointTo(first.url);
    const people = [await newPerson('One'), await newPerson('Two')];
    const workers = await Promise.all(
      people.map(async (person) => {
        const family = await publishedFamily(person.key, { content: contentWith(CHECK) });
        const confirmed: Confirmed[] = [];
        const loops = [1, 2, 3].map(() => work(person, family.id, confirmed).catch(() => undefined));
        return { person, confirmed, loops };
      }),
    );
    // In the middle of their work.
    while (workers.some(({ confirmed }) => confirmed.length < 8)) await sleep(10);
    first.service.kill('SIGKILL');
    await first.ended;
    await Promise.all(workers.flatMap(({ loops }) => loops));

    const second = await start({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
    await pointTo(second.url);
    for (const { person, confirmed } of workers) {
      const found: Inspection[] = await person.inspections.list();
      const byId = new Map(found.map((inspection) => [inspection.id, inspection]));
      for (const { inspection, isStarted, version } of confirmed) {
        const stored = byId.get(inspection.id);
        expect(stored).toMatchObject({ number: inspection.number, external_ref: inspection.external_ref });
        if (isStarted) expect(stored!.status).toBe('in_progress');
        const params = { inspection_id: inspection.id };
        const [record] = await person.answers.list({ params });
        expect(record?.version ?? 0).toBeGreaterThanOrEqual(version);
        expect(stored!.progress.answered).toBe(record ? 1 : 0);
        const findings = await person.findings.list({ params });
        expect(findings).toHaveLength(record?.value === 'fail' ? 1 : 0);
        expect(stored!.findings_count).toBe(findings.length);
      }
      const summary = await person.inspections.summarize();
      expect(summary).toMatchObject({
        total: found.length,
        scheduled: found.filter(({ status }) => status === 'scheduled').length,
        in_progress: found.filter(({ status }) => status === 'in_progress').length,
      });

      const created = () =>
        person.events
          .list()
          .then((events: { type: string; data: { id: string } }[]) =>
            events.filter(({ type }) => type === 'inspection.created').map(({ data }) => data.id),
          );
      while ((await created()).length < found.length) await sleep(100);
      expect((await created()).toSorted()).toEqual([...byId.keys()].toSorted());
    }
  });
});
