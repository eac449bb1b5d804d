import type { FakeAccount } from '../../infra/local/monday/account.ts';
import { type FakeMonday, startMonday } from '../../infra/local/monday/server.ts';

/**
 * Starts a fake monday.com for the tests of a file, which `MONDAY_API_URL` leads to. Each test begins without faults.
 * @param newAccount makes the account that it serves; the demo account by default
 */
export const useMonday = (newAccount?: () => FakeAccount): (() => FakeMonday) => {
  let monday: FakeMonday;
  beforeAll(async () => {
    monday = await startMonday(newAccount?.());
    process.env['MONDAY_API_URL'] = monday.url;
  });
  beforeEach(() => monday.reset());
  afterAll(async () => {
    delete process.env['MONDAY_API_URL'];
    await monday.stop();
  });
  return () => monday;
};
