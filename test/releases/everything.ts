import { type AppEntry, functionName, type KeyEntry } from '../../infra/catalogue.ts';
import { isFile } from '../../shared/http/operation/operation.ts';
import { type AnyRowKeys, valuesIn } from '../../shared/table/key-templates.ts';
import { type Key, keys, kindOf, type RowKind } from '../../shared/table/keys.ts';
import { type Answer, call, type Endpoint, type Request } from '../support/call.ts';

/** The kind of row whose id follows a part of a path. */
const KIND_AFTER: Readonly<Record<string, RowKind>> = {
  'asset-kinds': 'ASSET_KIND',
  assets: 'ASSET',
  'by-user': 'MEMBER',
  calendars: 'HOLIDAYS',
  'client-accounts': 'CLIENT',
  'certificate-kinds': 'CERTIFICATE_KIND',
  'bulk-changes': 'BULK_CHANGE',
  certificates: 'CERTIFICATE',
  connections: 'CONNECTION',
  corrections: 'correction',
  'corrective-actions': 'ACTION',
  deliveries: 'delivery',
  documents: 'DOCUMENT',
  exports: 'export',
  families: 'FAMILY',
  findings: 'FINDING',
  'inspection-schedules': 'SCHEDULE',
  inspections: 'INSPECTION',
  'issue-categories': 'ISSUE_CATEGORY',
  issues: 'ISSUE',
  'location-transfers': 'TRANSFER',
  locations: 'LOCATION',
  'public-links': 'publicLink',
  regions: 'REGION',
  'report-exports': 'BULK_EXPORT',
  'report-layouts': 'layout',
  reports: 'REPORT',
  sources: 'SOURCE',
  templates: 'TEMPLATE',
  webhooks: 'WEBHOOK',
};

/** What stands in paths beside ids. */
const WORDS: Readonly<Record<string, string>> = { target_ref: 'locations', vendor: 'monday' };

const BOARD = { board_id: 'b' };
const ITEM = { item_id: 'i1' };

/** A day from now, as a date. */
const dateIn = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Queries of operations that need one. */
const QUERIES = (): Readonly<Record<string, NonNullable<Request['query']>>> => ({
  'get-schedule-calendar': { from: dateIn(0), to: dateIn(7) },
  'list-columns': BOARD,
  'list-subitem-columns': BOARD,
  'list-items': BOARD,
  'get-item': ITEM,
  'list-item-children': ITEM,
});

/** The values in a key of a kind: those of its partition first, at last its own id. */
const valuesOf = (key: Key): string[] => {
  const entries = Object.values(keys as unknown as Record<string, AnyRowKeys>);
  const values = entries.flatMap((entry) => ('template' in entry ? (valuesIn(entry, key) ?? []) : []));
  return Object.values(values[0] ?? {}).map(String);
};

/** The parameters of a path, once for each row that they lead to. */
const paramsOf = (
  path: string,
  rows: ReadonlyMap<RowKind | undefined, readonly Key[]>,
): Record<string, string>[] => {
  const places = [...path.matchAll(/([\w-]+)\/\{(\w+)\}/g)];
  const ids = places.filter(([, , name]) => !Object.hasOwn(WORDS, name!));
  const words = Object.fromEntries(places.map(([, , name]) => [name!, WORDS[name!] ?? '']));
  const last = ids.at(-1);
  if (!last) return [words];
  const kind = KIND_AFTER[last[1]!];
  if (!kind) throw new Error(`nothing says whose id follows ${last[1]}`);
  return (rows.get(kind) ?? []).map((row) => {
    const values = valuesOf(row).slice(-ids.length);
    return {
      ...words,
      ...Object.fromEntries(ids.map(([, , name], position) => [name!, values[position]!])),
    };
  });
};

/** What is wrong with a reply: a failure of the service, or another form than is declared. */
const faultOf = ({ operation: { response, success } }: Endpoint, { status, body }: Answer): unknown => {
  if (status >= 500) return body;
  if (status !== success || isFile(response)) return undefined;
  return response.safeParse(body).error;
};

/** What came of reading everything: what was wrong, and the functions that have replied. */
export interface Outcome {
  faults: { path: string; status: number; fault: unknown }[];
  replied: Set<string>;
}

/** What reads everything of an organization: every GET, for each row whose id is in its path. */
export const readsOf = <Entry extends Endpoint & { file: string }>(
  entries: readonly Entry[],
  rows: readonly Key[],
) => {
  const ofKinds = Map.groupBy(rows, kindOf);
  return entries
    .filter(({ operation }) => operation.method === 'GET')
    .flatMap((entry) => {
      const query = QUERIES()[functionName(entry)];
      return paramsOf(entry.operation.path, ofKinds).map((params) => ({
        entry,
        request: { params, ...(query && { query }) },
      }));
    });
};

/** How often a request is sent that a busy machine does not answer in time. */
const MAX_SENT = 5;

/** The answer to a request, which is sent again while the service is briefly unavailable, as clients do. */
const answerTo = async (entry: KeyEntry | AppEntry, request: Request): Promise<Answer> => {
  let answer = await call(entry, request);
  for (let sent = 1; answer.status === 503 && sent < MAX_SENT; sent += 1) answer = await call(entry, request);
  return answer;
};

/**
 * Calls every operation that has a GET, for each row of an organization whose id is in its path.
 * @param who of the organization: a key, or a session
 */
export const readEverything = async (
  entries: readonly (KeyEntry | AppEntry)[],
  who: Pick<Request, 'as' | 'session'>,
  rows: readonly Key[],
  { faults, replied }: Outcome,
): Promise<void> => {
  for (const { entry, request } of readsOf(entries, rows)) {
    const name = functionName(entry);
    const answer = await answerTo(entry, { ...who, ...request });
    const fault = faultOf(entry, answer);
    if (fault !== undefined)
      faults.push({
        path: `${entry.operation.path} ${JSON.stringify(request.params)}`,
        status: answer.status,
        fault,
      });
    if (answer.status === entry.operation.success) replied.add(name);
  }
};
