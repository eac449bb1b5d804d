import * as finishSignIn from '../../functions/app/finish-sign-in.ts';
import * as startSignIn from '../../functions/app/start-sign-in.ts';
import { checkErrorCode, checkSafeHeaders, invoke } from '../support/call.ts';
import type { Account, startIssuer, Wrong } from '../support/issuer.ts';
import { BROWSER } from '../support/visit.ts';

type Issuer = Awaited<ReturnType<typeof startIssuer>>;

/** A browser that signs in: it keeps cookies, and shows where it was sent. */
export const newBrowser = () => {
  const jar = new Map<string, string>();
  /** All that were set, with their flags. */
  const cookies: string[] = [];
  const open = async (
    endpoint: typeof startSignIn | typeof finishSignIn,
    query: Record<string, string> = {},
  ) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...BROWSER, ...(cookie && { Cookie: cookie }) };
    const answer = await invoke(endpoint, { query }, headers, Buffer.alloc(0));
    checkErrorCode(answer);
    checkSafeHeaders(answer);
    for (const set of answer.cookies ?? []) {
      cookies.push(set);
      const [pair = '', ...flags] = set.split('; ');
      const [name = '', value = ''] = pair.split('=');
      if (flags.includes('Max-Age=0')) jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  };
  const start = async (query?: Record<string, string>): Promise<string> =>
    (await open(startSignIn, query)).headers['location']!;
  const finish = (query: Record<string, string>) => open(finishSignIn, query);
  return {
    jar,
    cookies,
    start,
    finish,
    session: () => jar.get('__Host-session') ?? null,
    /** Signs in, from the first page to the last. */
    signIn: async (issuer: Issuer, account: Account, wrong?: Wrong, query?: Record<string, string>) =>
      finish(issuer.authorize(await start(query), account, wrong)),
  };
};
