import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

/** Holds the app against AWS's own catalogue of mistakes; synthesis fails on a finding that nobody has answered. */
export const addChecks = (app: App): void => Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

/**
 * Answers findings of the checks on one construct: the rule, or for IAM wildcards the rule with the exact action
 * or resource, and why it is meant.
 */
export const acknowledge = (construct: IConstruct, reasons: Readonly<Record<string, string>>): void => {
  for (const [rule, reason] of Object.entries(reasons)) {
    Validations.of(construct).acknowledge({ id: `AwsSolutions-${rule}`, reason });
  }
};
