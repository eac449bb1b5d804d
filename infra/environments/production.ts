import type { Environment } from '../cloud/settings.ts';

/** An example: set the account, the region and who gets the alarms to your own. */
export const environment: Environment = {
  prefix: 'inspections-production',
  account: '222222222222',
  region: 'eu-west-1',
  alarmReceiver: 'on-call@example.com',
  logRetention: '365',
  rollout: 'canary-15-minutes',
  smokeKey: 'inspections-production/smoke-key',
};
