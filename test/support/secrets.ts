import { inspect } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../shared/base/environment.ts';
import { systemClient } from '../../shared/table/client.ts';

/** How base64 shows a text that begins at any byte of what is encoded: without the letters that it shares. */
const inBase64 = (secret: string): string[] =>
  [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.from('\0'.repeat(offset) + secret).toString('base64');
    const shown = encoded.replace(/=+$/, '').slice(offset === 0 ? 0 : offset + 1, -1);
    return [shown, shown.replaceAll('+', '-').replaceAll('/', '_')];
  });

/** Whether a text has a secret in it: as it is, or encoded as JSON, a URL, base64 or hexadecimal. */
export const reveals = (text: string, secret: string): boolean =>
  [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex'),
    ...inBase64(secret),
  ].some((form) => text.includes(form));

const unpacked = (bytes: Uint8Array): string => {
  try {
    return gunzipSync(bytes).toString();
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
};

/** All that a value says, its errors' causes, its hidden properties and its bytes included. */
const textOf = (value: unknown): string => {
  const bytes: string[] = [];
  const json = JSON.stringify(value, (_, member: unknown) => {
    if (member instanceof Uint8Array) bytes.push(unpacked(member));
    return member;
  });
  return [inspect(value, { depth: Infinity, showHidden: true, maxStringLength: null }), json, ...bytes].join(
    '\n',
  );
};

/** The rows that name an organization, whatever they are. */
const rowsOf = async (org_id: string): Promise<unknown[]> => {
  const rows: unknown[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await systemClient().send(
      new ScanCommand({ TableName: environment('TABLE_NAME'), ...(start && { ExclusiveStartKey: start }) }),
    );
    rows.push(...Items.filter((row) => JSON.stringify(row).includes(org_id)));
    start = LastEvaluatedKey;
  } while (start);
  return rows;
};

/**
 * Does some work with the log on, and finds where a secret came to light: in `log`, in the `outcome` (a result or an
 * error), or in the `row` with a key. Empty when it did not.
 * @param org_id whose rows are searched, those of events, tasks and kept replies included; none without it
 */
export const revealedBy = async (
  work: () => Promise<unknown>,
  secret: string,
  org_id?: string,
): Promise<string[]> => {
  const written: string[] = [];
  const level = process.env['LOG_LEVEL'];
  delete process.env['LOG_LEVEL'];
  const spies = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((chunk) => {
      written.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
      return true;
    }),
  );
  try {
    const outcome = await work().catch((error: unknown) => error);
    const rows = org_id === undefined ? [] : await rowsOf(org_id);
    return [
      ...(reveals(written.join(''), secret) ? ['log'] : []),
      ...(reveals(textOf(outcome), secret) ? ['outcome'] : []),
      ...rows
        .filter((row) => reveals(textOf(row), secret))
        .map((row) => `row ${(row as { pk: string; sk: string }).pk} ${(row as { sk: string }).sk}`),
    ];
  } finally {
    for (const spy of spies) spy.mockRestore();
    if (level !== undefined) process.env['LOG_LEVEL'] = level;
  }
};
