import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

/** Checks the app against AWS's catalogue of mistakes. Synthesis fails on a finding that is not acknowledged. */
export const addChecks = (app: App): void => Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

/**
 * Acknowledges findings of the checks on one construct.
 * @param reasons why the finding is intended, by rule. For IAM wildcards the rule includes the exact action or
 * resource.
 */
export const acknowledge = (construct: IConstruct, reasons: Readonly<Record<string, string>>): void => {
  for (const [rule, reason] of Object.entries(reasons)) {
    Validations.of(construct).acknowledge({ id: `AwsSolutions-${rule}`, reason });
  }
};
