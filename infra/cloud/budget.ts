/* oxlint-disable no-new -- a construct adds itself to its scope */
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** When the receiver is told, in percent of the budget. */
const TOLD = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'FORECASTED', threshold: 100 },
] as const;

/** Watches what the account costs in a month. @throws Error when nobody could be told */
export const addBudget = (scope: Construct, { prefix, budget, alarmReceiver }: Settings): void => {
  if (!budget) return;
  if (!alarmReceiver?.includes('@')) throw new Error('budget needs an email address as alarmReceiver');
  new CfnBudget(scope, 'Budget', {
    budget: {
      budgetName: prefix,
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: Number(budget), unit: 'USD' },
    },
    notificationsWithSubscribers: TOLD.map((told) => ({
      notification: { ...told, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
      subscribers: [{ subscriptionType: 'EMAIL', address: alarmReceiver }],
    })),
  });
};
