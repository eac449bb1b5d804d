import type { Construct } from 'constructs';
import { grantsOf } from '../../shared/http/grants.ts';
import type { OperationEntry } from '../catalogue.ts';
import { GATEWAY_TIMEOUT, TIMEOUT_MARGIN } from '../limits.ts';
import { addAreaAlarms } from './alarms.ts';
import { capitalized, type Deployment, FunctionsStack, operationsPath } from './functions.ts';
import { allow, leadingKeys, sessionPolicyOf, statementsOf } from './grants.ts';

/** One area's operations: a folder of `functions/`, a stack. */
export class AreaStack extends FunctionsStack {
  constructor(scope: Construct, area: string, operations: readonly OperationEntry[], deployment: Deployment) {
    super(scope, area.split('-').map(capitalized).join(''), deployment);
    for (const { file, operation } of operations) {
      const { id, summary, memory } = operation;
      const grants = grantsOf(operation);
      this.addFunction(
        {
          file,
          id,
          summary,
          memory,
          timeout: GATEWAY_TIMEOUT[operation.list ? 'streamed' : 'buffered'] - TIMEOUT_MARGIN,
          grants,
          ...(deployment.settings.rowLevelSecurity
            ? {
                statements: [
                  // A key is looked up before its organization is known.
                  ...statementsOf(['table:UpdateItem'], this.resources(), leadingKeys('KEY#*')),
                  ...statementsOf(
                    grants.filter((grant) => grant.startsWith('queue:')),
                    this.resources(),
                  ),
                  allow(['sts:AssumeRole', 'sts:TagSession'], [this.given('TenantRoleArn')]),
                ],
                variables: {
                  AREA: area,
                  TENANT_ROLE_ARN: this.given('TenantRoleArn'),
                  TENANT_SESSION_POLICY: sessionPolicyOf(grants),
                },
              }
            : { statements: statementsOf(grants, this.resources()), variables: { AREA: area } }),
        },
        operationsPath(deployment.settings),
      );
    }
    addAreaAlarms(this, area);
  }
}
