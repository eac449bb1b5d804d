import { randomUUID } from 'node:crypto';
import { createBucket, createTable } from '../../../infra/local/engines/resources.ts';
import { commands } from '../../../infra/operator/commands.ts';
import { setRequestLimits } from '../../../shared/organizations/api-keys.ts';
import { call } from '../../support/call.ts';
import { operationEntries } from '../../support/catalogue.ts';
import { operatorOf, type Person } from '../../support/people.ts';
import { scenariosOf } from '../../support/scenarios.ts';

/** A table and a bucket of their own. */
export const newDeployment = async () => {
  const name = `moved-${randomUUID()}`;
  await createTable(name);
  await createBucket(name);
  return { TABLE_NAME: name, BUCKET_NAME: name };
};

/** Lets everything work on another deployment for a while. */
export const inDeployment = async <Result>(
  variables: { TABLE_NAME: string; BUCKET_NAME: string },
  work: () => Promise<Result>,
): Promise<Result> => {
  const { TABLE_NAME, BUCKET_NAME } = process.env;
  Object.assign(process.env, variables);
  try {
    return await work();
  } finally {
    Object.assign(process.env, { TABLE_NAME, BUCKET_NAME });
  }
};

/** Creates one of everything that requests create, and endpoints that only the platform team and admins create. */
export const fillWithAll = async (own: Person): Promise<void> => {
  await setRequestLimits(operatorOf(own), { max_requests_per_minute: 999_999 });
  for (const entry of operationEntries().filter(({ operation }) => operation.method === 'POST')) {
    const [scenario] = scenariosOf(entry.area).scenarios[entry.operation.id] ?? [];
    if (scenario) await call(entry, { as: own.key, ...(await scenario(own)) });
  }
  await commands['webhook create'].run({
    org: own.caller.org_id,
    url: 'https://example.com/hook',
    types: ['*'],
    description: '',
  });
};
