import { newRouter } from '../../infra/local/gateway/router.ts';
import { sha256 } from '../../shared/base/encoding.ts';
import { certificateNumber, CODE_ALPHABET, readNumber } from '../../shared/domain/certificates.ts';
import type { PublicOperation } from '../../shared/http/operation/operation.ts';
import { routeOf } from '../../shared/http/operation/surface.ts';
import { change } from '../../shared/table/change.ts';
import { type Key, keys } from '../../shared/table/keys.ts';
import { getSystemRows } from '../../shared/table/rows.ts';
import { scanPage } from '../../shared/table/scan.ts';
import * as write from '../../shared/table/writes.ts';
import { systemWrite } from '../../shared/table/writes.ts';
import type { Answer } from '../support/call.ts';
import { operationEntries, pageEntries } from '../support/catalogue.ts';
import { anyBytes } from '../support/chance.ts';
import { useClock } from '../support/clock.ts';
import { installFaults, UNDECLARED, undeclaredAttributes, withFault } from '../support/faults.ts';
import { newPerson, type Person } from '../support/people.ts';
import { expectRecorded, usesOfOperation } from '../support/recorded.ts';
import { installRecorder, type Recording, recording } from '../support/recorder.ts';
import { anyAddress, type Visit, visit } from '../support/visit.ts';
import { visits } from './scenarios.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

installRecorder();
installFaults();

const entries = pageEntries();

const HTML = 'text/html; charset=utf-8';

/** What must be the same, whichever link was not found. */
const said = ({ status, headers, text }: Omit<Answer, 'body'>) => {
  const { 'x-request-id': _, ...rest } = headers;
  return { status, headers: rest, text };
};

const linkKey = ({ token }: Visit) => {
  const text = token.split('/').at(-1)!;
  return keys.link(sha256(readNumber(text)?.code ?? text));
};

/** Stores the link of a token once more, with other attributes. */
const changeLink = async ({ caller }: Person, link: Visit, set: object): Promise<void> => {
  const key = linkKey(link);
  await change(caller, () => ({
    writes: [systemWrite(write.update(key, { set: { ...set } }))],
    reply: undefined,
  }));
};

/** A reply as its reader can read it: also what base64 or percent signs hide, such as the policy of an upload's form. */
const readable = ({ headers, text }: Omit<Answer, 'body'>): string => {
  const sent = `${JSON.stringify(headers)} ${text}`;
  const unescaped = sent.replaceAll(/%[0-9A-Fa-f]{2}/g, (code) =>
    String.fromCharCode(Number.parseInt(code.slice(1), 16)),
  );
  const encoded = unescaped.match(/[\w+/]{40,}={0,2}/g) ?? [];
  return [unescaped, ...encoded.map((each) => Buffer.from(each, 'base64').toString('latin1'))].join('\n');
};

const ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

/** The ids by which anything of an organization is known: of every row, and of the rows around it. */
const idsOf = async ({ caller: { org_id, user_id }, adminId }: Person): Promise<Set<string>> => {
  const found = [org_id, user_id, adminId];
  for (let next: Key | undefined, isFirst = true; isFirst || next; isFirst = false) {
    const page = await scanPage(next, 1_000, org_id);
    for (const { pk, sk, id } of page.rows) found.push(...(`${pk} ${sk} ${String(id)}`.match(ID) ?? []));
    next = page.next;
  }
  return new Set(found);
};

const newCode = (): string => [...anyBytes(12)].map((byte) => CODE_ALPHABET[byte % 32]).join('');

/** What could open such a page, and opens none. */
const tokenFor = (operation: PublicOperation) => (): string =>
  operation.link === 'verify' ? certificateNumber('C1', 1, newCode()) : anyBytes(16).toString('base64url');

describe.each(entries.map((entry) => [`${entry.operation.method} ${entry.operation.path}`, entry] as const))(
  '%s',
  (_, entry) => {
    const { operation } = entry;
    const { id, success, response, body, method } = operation;
    const scenarios = visits[id] ?? [];
    const newToken = tokenFor(operation);

    let person: Person;
    let valid: Visit;
    /** Another one, whose link becomes what opens nothing. */
    let spare: Visit;

    beforeAll(async () => {
      person = await newPerson(`Owner of ${id}`);
      valid = await scenarios[0]!(person);
      spare = await scenarios[0]!(person);
    });

    test(`${success}, and uses what is recorded`, async () => {
      const requests: Recording[] = [];
      for (const [position, scenario] of scenarios.entries()) {
        const request = position === 0 ? valid : await scenario(person);
        const { result: answer, sent } = await recording(() =>
          withFault(undeclaredAttributes, () => visit(entry, request)),
        );
        expect(answer.text).not.toContain(UNDECLARED);
        // Strangers read it, with the signed URLs of stored files.
        const internal = await idsOf(person);
        expect((readable(answer).match(ID) ?? []).filter((id) => internal.has(id))).toEqual([]);
        expect({ status: answer.status, text: answer.text }).toEqual({ status: success, text: answer.text });
        if (response.kind === 'page') expect(answer.headers['content-type']).toBe(HTML);
        else if (response.kind === 'picture') expect(answer.headers['content-type']).toMatch(/^image\//);
        else if (response.kind === 'download') expect(answer.headers['content-type']).toMatch(/^text\/csv/);
        else if (response.kind === 'shownFile')
          expect(answer.headers['content-type']).toBe('application/pdf');
        else if (response.kind === 'program') expect(answer.headers['content-type']).toBe('application/json');
        else expect(new URL(answer.headers['location']!).protocol).toMatch(/^https?:$/);
        requests.push(sent);
      }
      expectRecorded(id, usesOfOperation(requests));
    });

    useClock();

    test('404 for a token that is unknown, malformed, of another purpose or past its end, and all look the same', async () => {
      const tokens = [newToken(), 'short', `${newToken()}x`];
      const answers = await Promise.all(tokens.map((token) => visit(entry, { ...valid, token })));
      const [row] = await getSystemRows([linkKey(spare)]);
      const now = Math.floor(Date.now() / 1_000);
      const { purpose, ttl = now + 86_400 } = row!;
      expect(purpose).toBe(operation.link);
      await changeLink(person, spare, { purpose: operation.link === 'stop' ? 'confirm' : 'stop' });
      answers.push(await visit(entry, { ...valid, token: spare.token }));
      await changeLink(person, spare, { purpose, ttl: now - 1 });
      answers.push(await visit(entry, { ...valid, token: spare.token }));
      await changeLink(person, spare, { ttl });
      const [first] = answers;
      expect(first!.status).toBe(404);
      expect(first!.headers['content-type']).toBe(HTML);
      for (const answer of answers) expect(said(answer)).toEqual(said(first!));
      for (const text of [person.caller.name, person.caller.org_id]) expect(first!.text).not.toContain(text);
    });

    test('404 as JSON for a program, with the same code', async () => {
      const unknown = { ...valid, token: newToken() };
      const [asPage, asJson] = [
        await visit(entry, unknown),
        await visit(entry, { ...unknown, headers: { Accept: '*/*' } }),
      ];
      expect(asJson.headers['content-type']).toBe('application/json');
      expect(JSON.parse(asJson.text)).toEqual({ detail: expect.any(String) });
      expect([asJson.status, asJson.headers['x-error-code']]).toEqual([
        asPage.status,
        asPage.headers['x-error-code'],
      ]);
    });

    test('404 once the organization is not there', async () => {
      await changeLink(person, spare, { org_id: crypto.randomUUID() });
      expect((await visit(entry, spare)).status).toBe(404);
    });

    const fill = async (period: number, count: number, per: string, value: string): Promise<void> => {
      const key = keys.visits(id, per, value, String(Math.floor(Date.now() / period)));
      const put = write.put({ ...key, count, ttl: Math.floor(Date.now() / 1_000) + 7_200 });
      await change(person.caller, () => ({ writes: [systemWrite(put)], reply: undefined }));
    };

    test('429 beyond the visits from an address in a day, for its whole network', async () => {
      const ipv4 = anyAddress();
      const network = `2001:db8:${(Date.now() % 65_536).toString(16)}:${id.length.toString(16)}`;
      for (const [stored, sourceIp] of [
        [ipv4, ipv4],
        [ipv4, `::ffff:${ipv4}`],
        [network, `${network}::1`],
        [network, `${network}:0:ffff:1:2`],
      ] as const) {
        await fill(86_400_000, operation.visits.perAddress, 'address', stored);
        expect((await visit(entry, { ...valid, token: newToken(), sourceIp })).status).toBe(429);
      }
      expect((await visit(entry, { ...valid, token: newToken() })).status).toBe(404);
    });

    if (body) {
      test('400 for a body that is too large or of another type, and a page that does not repeat it', async () => {
        for (const raw of [
          { type: 'application/x-www-form-urlencoded', bytes: `a=${'x'.repeat(body.maxBytes)}` },
          { type: 'text/plain', bytes: 'secret' },
          { type: 'application/json', bytes: '{"secret' },
          { type: 'multipart/form-data', bytes: 'secret' },
        ]) {
          const { form: _form, ...bare } = valid;
          const answer = await visit(entry, { ...bare, raw });
          expect([raw.type, answer.status]).toEqual([raw.type, 400]);
          expect(answer.text).not.toContain('secret');
        }
      });

      test(`${success} for the same form as multipart and as JSON`, async () => {
        const { form, ...bare } = valid;
        const fields = new FormData();
        for (const [name, value] of Object.entries(form!)) fields.set(name, value);
        const encoded = new Response(fields);
        const multipart = {
          type: encoded.headers.get('content-type')!,
          bytes: Buffer.from(await encoded.arrayBuffer()),
        };
        const json = { type: 'application/json', bytes: JSON.stringify(form) };
        for (const raw of [multipart, json])
          expect((await visit(entry, { ...bare, raw })).status).toBe(success);
      });
    }

    test('has no other method than those that are declared', () => {
      const route = newRouter(entries);
      const path = routeOf(operation).replace('{token}', newToken());
      const declared = entries.filter((other) => other.operation.path === operation.path);
      const methods = declared.map((other) => other.operation.method as string);
      expect(methods).toContain(method);
      for (const other of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']) {
        // HEAD is answered wherever GET is.
        const declared = other === 'HEAD' ? 'GET' : other;
        expect([other, route(other, path) !== undefined]).toEqual([other, methods.includes(declared)]);
      }
    });

    // The last one, because nobody can visit the known link afterwards.
    test.each([
      ['known', () => valid.token],
      ['unknown', newToken],
    ])('429 beyond the visits of a link in an hour, if the link is %s', async (_name, newest) => {
      const token = newest().split('/').at(-1)!;
      await fill(3_600_000, operation.visits.perLink - 1, 'link', sha256(token));
      expect((await visit(entry, { ...valid, token })).status).not.toBe(429);
      const limited = await visit(entry, { ...valid, token });
      expect([limited.status, limited.headers['content-type']]).toEqual([429, HTML]);
    });
  },
);

describe('the surfaces', () => {
  test('are told apart by the folder: what takes a link is in functions/public, and nothing else', () => {
    expect(new Set(entries.map(({ area }) => area))).toEqual(new Set(['public']));
    expect(operationEntries().filter(({ area }) => area === 'public')).toEqual([]);
  });

  test('share no path and no id', () => {
    const all = [...entries, ...operationEntries()].map(({ operation }) => operation);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(entries.filter(({ operation }) => routeOf(operation).startsWith('/v1'))).toEqual([]);
    expect(Object.keys(visits).toSorted()).toEqual(entries.map(({ operation }) => operation.id).toSorted());
  });
});
