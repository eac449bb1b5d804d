import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../catalogue.ts';
import { DemoError } from './client.ts';

/** The admin of the organization that the demo creates, who signs in to the app. */
export const ADMIN_EMAIL = 'health@example.com';

/** Runs the operator's command line. @returns what it prints */
const operator = async (...args: string[]): Promise<Record<string, string>> => {
  const command = [join(ROOT, 'infra/operator/cli.ts'), ...args, '--json'];
  const { stdout } = await promisify(execFile)('node', command, { env: process.env }).catch(
    ({ stderr, message }: { stderr?: string; message: string }) => {
      throw new DemoError(stderr?.trim() || message);
    },
  );
  return JSON.parse(stdout) as Record<string, string>;
};

/** Creates an organization with an inspector, and a key that may act for members, as the platform team does. @returns the key */
export const createOrganizationWithKey = async (): Promise<string> => {
  const organization = ['--name', 'Harbour City Environmental Health', '--admin-email', ADMIN_EMAIL];
  const { org_id } = await operator('org', 'create', ...organization);
  const person = ['--name', 'Eleni Georgiou', '--email', 'eleni@example.com', '--role', 'inspector'];
  await operator('member', 'add', '--org', org_id!, ...person);
  const access = ['--name', 'Inspection app', '--access', 'read_write', '--expires', '30d'];
  const { key } = await operator('key', 'create', '--org', org_id!, ...access, '--act-for-members');
  return key!;
};
