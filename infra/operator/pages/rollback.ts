import { ROLLOUTS } from '../../limits.ts';

/** How a release goes back, and what becomes of what it has written, as Markdown. */
export const ROLLBACK = `With the setting \`rollout\`, each function keeps the version of before while requests move to the new one, and goes back to it by itself. Without it (\`${ROLLOUTS[0]}\`, the default), all requests go to the new versions at once, and you go back by hand.

## What a rollback does to data

Nothing. No row is changed back, and nothing that was written meanwhile is lost:

- The newest code writes nothing that the release before cannot read. It adds attributes, and the release before keeps those that it does not know. Rows of a new kind, new events and new tasks are written by the release after the one that reads them.
- \`npm run test:chaos\` holds this: the code of each frozen release and the newest take turns on one table, request by request, and \`org check\` finds nothing afterwards. From the second release on, the frozen one is that of before.
- Work in queues and in the outbox is done by whichever version gets it.
- \`operator migrate\` stores rows in the form of the newest release. The release before reads them, so it may have run.

What a rollback does not undo: mails, webhooks and files that were sent or made, and what people and clients did on purpose.

## What stops a rollout by itself

- an alarm of server errors of the area whose functions move, of either API, or of work that failed at every attempt
- the smoke test at the end, with the setting \`smokeKey\`

CodeDeploy then moves all requests back, CloudFormation goes back to the stack of before, and \`npm run deploy\` fails. See why:

    aws deploy list-deployments --application-name <prefix> --include-only-statuses Stopped Failed
    aws deploy get-deployment --deployment-id <id> --query 'deploymentInfo.[status,errorInformation,rollbackInfo]'
    aws cloudformation describe-stack-events --stack-name <prefix> --query 'StackEvents[?ends_with(ResourceStatus, \`FAILED\`)].[LogicalResourceId,ResourceStatusReason]'

## Stop a rollout that is under way

    aws deploy stop-deployment --auto-rollback-enabled --deployment-id <id>

## Go back by hand

All functions at once, in about as long as a deployment takes. An alarm that is on would stop a gradual one:

    git checkout <tag or commit of before>
    npm ci
    npm run deploy -- -c env=<name> -c rollout=all-at-once
    npm run smoke -- --url <ApiUrl> --key <key>

One function, within seconds, until the next deployment:

    aws lambda list-versions-by-function --function-name <name> --query 'Versions[].[Version,LastModified]'
    aws lambda update-alias --function-name <name> --name live --function-version <version of before>

## When CloudFormation cannot go back

The stack is \`UPDATE_ROLLBACK_FAILED\`. Mend what its events name, then:

    aws cloudformation continue-update-rollback --stack-name <prefix>

A table takes one new or deleted index in each deployment.
`;
