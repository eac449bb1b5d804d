import { MAX_SEARCHED } from '../../shared/reports/rows/lists.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { ListedReport, Report } from '../../shared/schemas/reports/report.ts';
import { keys } from '../../shared/table/keys.ts';
import { writeRow } from '../../shared/table/single-write.ts';
import * as write from '../../shared/table/writes.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { newRegion } from '../regions/scenarios.ts';
import { newPerson, type Person } from '../support/people.ts';
import { renderedReport } from './fixtures/reports.ts';

let person: Person;
let region: { id: string };
let client: { id: string };
/** A store of the client in the region, and a counter in it. */
let store: { id: string };
let counter: { id: string };
let inspections: Inspection[];
/** One for each inspection, and a second one for the first. */
let reports: Report[];

const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

/** Parameters of a query. */
type Query = Readonly<Record<string, string | number | boolean | readonly string[]>>;

const listed = async (query: Query = {}): Promise<string[]> => ids(await person.reports.listAll({ query }));

const cursorOf = (headers: Readonly<Record<string, string>>): string | undefined => {
  const address = /<(.+)>/.exec(headers['link'] ?? '')?.[1];
  return address === undefined ? undefined : new URL(address).searchParams.get('cursor')!;
};

const newReport = (inspection: { id: string }, owner = person): Promise<Report> =>
  owner.reports.create({ params: { inspection_id: inspection.id }, body: {} });

beforeAll(async () => {
  person = await newPerson('Grand Foods');
  region = await newRegion(person, { name: 'North' });
  client = await person.clientAccounts.create({ body: { name: 'Grand Foods' } });
  const place = { client_account_id: client.id };
  store = await person.locations.create({ body: { ...place, name: 'Store 1', region_id: region.id } });
  counter = await person.locations.create({ body: { ...place, name: 'Counter', parent_id: store.id } });
  inspections = [
    await newInspection(person, { ...place, location_id: store.id }),
    await newInspection(person, { ...place, location_id: counter.id }),
    await newInspection(person),
  ];
  reports = [];
  for (const inspection of [...inspections, inspections[0]!]) reports.push(await newReport(inspection));
});

describe('GET /reports', () => {
  test('200 with all reports, the newest first, each with what its inspection belongs to', async () => {
    const rows: ListedReport[] = await person.reports.listAll({});
    expect(ids(rows)).toEqual(ids(reports.toReversed()));
    expect(rows[2]).toEqual({
      ...reports[1],
      client_account: { id: client.id, name: 'Grand Foods' },
      location: { id: counter.id, name: 'Counter' },
      template_family: { id: inspections[1]!.template_family_id, name: expect.any(String) },
      asset: null,
      inspection: {
        id: inspections[1]!.id,
        number: inspections[1]!.number,
        name: inspections[1]!.name,
      },
    });
    expect(rows.map(({ version, is_current }) => [version, is_current])).toEqual([
      [2, true],
      [1, true],
      [1, true],
      [1, false],
    ]);
  });

  test('200 with those that pass each filter', async () => {
    const [first, second, third, fourth] = reports;
    const time = first!.created_at;
    const [ofStore, , other] = inspections;
    for (const [query, expected] of [
      [{ inspection_id: ofStore!.id }, [fourth, first]],
      [{ inspection_id: other!.id }, [third]],
      [{ inspection_id: ofStore!.id, location_id: [counter.id] }, []],
      [{ client_account_id: [client.id] }, [fourth, second, first]],
      [{ location_id: [counter.id] }, [second]],
      [{ within: store.id }, [fourth, second, first]],
      [{ region_id: region.id }, [fourth, first]],
      [{ template_family_id: [other!.template_family_id] }, [third]],
      [{ asset_id: [other!.id] }, []],
      [{ status: ['queued'] }, [fourth, third, second, first]],
      [{ status: ['ready', 'failed'] }, []],
      [{ created_before: time }, []],
      [{ created_after: time }, [fourth, third, second, first]],
      [{ updated_since: fourth!.updated_at, location_id: [counter.id] }, []],
      [{ inspection_id: client.id }, []],
      [{ within: client.id }, []],
    ] as const)
      expect([query, await listed(query)]).toEqual([query, expected.map((report) => report!.id)]);
  });

  test('200 with those of a status once they have it', async () => {
    const owner = await newPerson('Rendered reports');
    const { report } = await renderedReport(owner);
    await newReport(await newInspection(owner), owner);
    expect(ids(await owner.reports.listAll({ query: { status: ['ready'] } }))).toEqual([report.id]);
    expect(await listed()).toEqual(ids(reports.toReversed()));
  });

  test('200 page by page, with and without an index, and 422 for a cursor of other filters', async () => {
    const [first, second, third, fourth] = reports;
    for (const [query, pages] of [
      [
        { limit: 2 },
        [
          [fourth, third],
          [second, first],
        ],
      ],
      [{ limit: 1, inspection_id: inspections[0]!.id }, [[fourth], [first]]],
      [{ limit: 2, client_account_id: [client.id] }, [[fourth, second], [first]]],
    ] as const) {
      const page = await person.try.reports.listAll({ query });
      const cursor = cursorOf(page.headers)!;
      const next = await person.try.reports.listAll({ query: { ...query, cursor } });
      expect([ids(page.body), ids(next.body)]).toEqual(pages.map((rows) => rows.map((row) => row!.id)));
      expect(cursorOf(next.headers)).toBeUndefined();
      const { status } = await person.try.reports.listAll({
        query: { limit: 2, status: ['failed'], cursor },
      });
      expect(status).toBe(422);
    }
  });

  test('200 with few reports of many, after no more of them were searched than a page may', async () => {
    const owner = await newPerson('Many reports');
    const wanted = await newInspection(owner, {});
    const report = await newReport(wanted, owner);
    // Pointers whose reports are gone, as while an inspection is deleted.
    const late = (n: number) => `ffffffff-ffff-7fff-bfff-${String(n).padStart(12, '0')}`;
    for (let n = 0; n < MAX_SEARCHED; n += 1)
      await writeRow(
        'system',
        write.put({ ...keys.reference(owner.caller, 'REPORT', late(n)), inspection_id: wanted.id }),
      );
    const query = { status: ['queued'] };
    const page = await owner.try.reports.listAll({ query });
    expect(page.body).toEqual([]);
    const next = await owner.try.reports.listAll({ query: { ...query, cursor: cursorOf(page.headers)! } });
    expect([ids(next.body), cursorOf(next.headers)]).toEqual([[report.id], undefined]);
    expect(ids(await owner.reports.listAll({ query: { limit: 1 } }))).toEqual([report.id]);
  });
});
