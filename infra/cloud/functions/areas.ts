import { SecretValue } from 'aws-cdk-lib';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { AnyOperation } from '../../../shared/http/operation/operation.ts';
import { isAsset, isProbe, isPublic, routesOf } from '../../../shared/http/operation/surface.ts';
import type { OperationEntry } from '../../catalogue.ts';
import { GATEWAY_TIMEOUT, TIMEOUT_MARGIN } from '../../gateway.ts';
import { type Grant, grantsOf } from '../../grants.ts';
import { addAreaAlarms } from '../alarms/functions.ts';
import { capitalized } from '../names.ts';
import { allow, leadingKeys, sessionPolicyOf, statementsOf, systemGrants, tenantGrants } from './grants.ts';
import { type Deployment, FunctionsStack, operationsPath } from './stack.ts';

/** The stack of one area: the operations in one folder of `functions/`. */
export class AreaStack extends FunctionsStack {
  readonly #serverErrors: string;

  constructor(scope: Construct, area: string, operations: readonly OperationEntry[], deployment: Deployment) {
    super(scope, area.split('-').map(capitalized).join(''), deployment);
    // Before the functions, whose rollout it stops.
    this.#serverErrors = addAreaAlarms(this, area).alarmName;
    const others: Alias[] = [];
    let probe: Alias | undefined;
    for (const entry of operations) {
      const { file, operation } = entry;
      const { id, summary, memory, list } = operation;
      const grants = grantsOf(entry);
      const timeout = GATEWAY_TIMEOUT[list ? 'streamed' : 'buffered'] - TIMEOUT_MARGIN;
      const { statements, variables } = this.#accessOf(operation, grants);
      const surfaces = new Set(routesOf(operation).map(({ surface }) => surface));
      const { live } = this.addFunction(
        {
          file,
          id,
          summary,
          memory,
          timeout,
          grants,
          statements,
          hook: isProbe(operation) ? deployment.hook : undefined,
          variables: {
            AREA: area,
            ...variables,
            ...(isPublic(operation) && operation.namesItself && { PUBLIC_URL: this.value('PublicUrl') }),
            ...(isProbe(operation) && { RELEASE: deployment.settings.release }),
            // To know a change by a page of our own, and where a sign-in begins and returns to.
            ...((surfaces.has('app') || surfaces.has('browser') || surfaces.has('admin')) && {
              PUBLIC_URL: this.value('PublicUrl'),
            }),
            ...(surfaces.has('v1') && deployment.settings.requestLog && { REQUEST_LOG: 'on' }),
            ...(operation.callsProvider && this.#providerVariables()),
          },
        },
        operationsPath(deployment.settings),
      );
      if (isProbe(operation)) probe = live;
      else others.push(live);
    }
    // The function that says which release runs is moved last, and the service is tried when it has been.
    if (others.length > 0) probe?.node.addDependency(...others);
  }

  protected override brakes(): string[] {
    return [this.#serverErrors, this.value('MachinesErrorsAlarm'), this.value('PeopleErrorsAlarm')];
  }

  #providerVariables() {
    const { oidcClientSecret } = this.deployment.settings;
    return {
      OIDC_ISSUER: this.value('OidcIssuer'),
      OIDC_CLIENT_ID: this.value('OidcClientId'),
      // CloudFormation puts the value there; the template has only the name of the secret.
      OIDC_CLIENT_SECRET: oidcClientSecret ? SecretValue.secretsManager(oidcClientSecret).unsafeUnwrap() : '',
    };
  }

  /**
   * How a function reaches what its grants name: by its own role or, with row-level security, through the tenant
   * role.
   */
  #accessOf(operation: AnyOperation, grants: readonly Grant[]) {
    if (isAsset(operation) || isProbe(operation)) return { statements: [], variables: {} };
    if (!this.deployment.settings.rowLevelSecurity)
      return { statements: statementsOf(grants, this.resources()), variables: {} };
    const queueGrants = grants.filter((grant) => grant.startsWith('queue:'));
    return {
      statements: [
        // The function reads the API key, the session or the link before it knows the organization, so it does this by its
        // own role. It notes the request by this role too: otherwise one that only reads could write all rows.
        ...(routesOf(operation).some(({ surface }) => surface === 'v1')
          ? statementsOf(
              ['table:UpdateItem'],
              this.resources(),
              leadingKeys('KEY#*', ...(this.deployment.settings.requestLog ? ['ORG#*#REQUEST#*'] : [])),
            )
          : []),
        ...statementsOf(systemGrants(grants), this.resources()),
        ...statementsOf(queueGrants, this.resources()),
        ...(tenantGrants(grants).length > 0
          ? [allow(['sts:AssumeRole', 'sts:TagSession'], [this.value('TenantRoleArn')])]
          : []),
      ],
      variables: {
        TENANT_ROLE_ARN: this.value('TenantRoleArn'),
        TENANT_SESSION_POLICY: sessionPolicyOf(grants),
      },
    };
  }
}
