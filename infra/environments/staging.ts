import type { Environment } from '../cloud/settings.ts';

/** An example: set the account, the region and who gets the alarms to your own. */
export const environment: Environment = {
  prefix: 'inspections-staging',
  account: '111111111111',
  region: 'eu-west-1',
  alarmReceiver: 'on-call@example.com',
  logRetention: '30',
  budget: '200',
};
