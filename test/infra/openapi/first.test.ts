import { firstRequests } from '../../../infra/openapi/first.ts';
import { FIRST_OPERATIONS } from '../../../infra/web/admin/explore/first-requests.ts';
import { isMultipart } from '../../../shared/http/operation/operation.ts';
import { TAB_GROUPS } from '../../../shared/http/pages/admin-data.ts';
import { as } from '../../support/call.ts';
import { operationEntries } from '../../support/catalogue.ts';
import { newPerson } from '../../support/people.ts';

const entries = operationEntries();
const firsts = Object.entries(FIRST_OPERATIONS);
const entryOf = (id: string) => entries.find(({ operation }) => operation.id === id);

let curls: Readonly<Record<string, string>>;

beforeAll(async () => {
  curls = await firstRequests(Object.values(FIRST_OPERATIONS));
});

/** The JSON that a request in curl sends. */
const bodyOf = (curl: string): object | undefined => {
  const [, text] = /-d '(.*)'$/s.exec(curl) ?? [];
  return text === undefined ? undefined : (JSON.parse(text) as object);
};

describe('The first request of a list', () => {
  test('exists for every list of the explorer', () => {
    const lists = [...TAB_GROUPS.explore, 'asset-kinds', 'certificate-kinds'].filter(
      (tab) => tab !== 'numbers',
    );
    expect(Object.keys(FIRST_OPERATIONS)).toEqual(expect.arrayContaining(lists));
  });

  test.each(firsts)('of %s is that of %s, as it is declared', (_, id) => {
    const { method, path } = entryOf(id)!.operation;
    const curl = curls[id]!;
    const shown = path.replaceAll(/\{(\w+)\}/g, '<$1>');
    expect(curl.split(' \\\n')[0]).toBe(`curl "$API_URL/v1${shown}"`);
    expect(curl).toContain('-H "Authorization: Bearer $API_KEY"');
    expect([id, bodyOf(curl) !== undefined]).toEqual([id, method === 'POST']);
  });

  test.each(firsts)('of %s has all that %s requires, with names for what only the reader knows', (_, id) => {
    const { body } = entryOf(id)!.operation;
    const sent = bodyOf(curls[id]!);
    if (!body || isMultipart(body) || !sent) return expect(sent).toBeUndefined();
    // An id stands for the name of one.
    const filled = JSON.parse(
      JSON.stringify(sent).replaceAll(/"<\w+_id>"/g, '"019cade0-51c2-7000-8000-000000000001"'),
    ) as object;
    return expect(body.safeParse(filled).error).toBeUndefined();
  });

  test('makes the first one where it names nothing that exists already', async () => {
    const { key } = await newPerson('Newcomer');
    const sendable = Object.values(FIRST_OPERATIONS).filter((id) => !curls[id]!.includes('<'));
    expect(sendable).toEqual(expect.arrayContaining(['createClientAccount', 'createFamily', 'createAsset']));
    const answers = await Promise.all(
      [...new Set(sendable)].map(async (id) => {
        const body = bodyOf(curls[id]!);
        const { status } = await as(key).call(entryOf(id)!, body ? { body } : {});
        return [id, status];
      }),
    );
    expect(answers).toEqual(answers.map(([id]) => [id, entryOf(id as string)!.operation.success]));
  });
});
