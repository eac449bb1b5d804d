import { STAGE } from '../../gateway.ts';

/** A step of the first deployment: what it shows, the command, and what it prints where all is well. */
interface Step {
  what: string;
  command: string;
  expect: string;
}

const OPERATOR = 'npm run -s operator --';

/**
 * What only a deployment can show, because no engine on a laptop has it: quotas, IAM, real queues, DNS and mail. Each
 * step needs the ones before it. `<…>` stands for a value of the account, or of an earlier step.
 */
export const FIRST_DEPLOYMENT: readonly Step[] = [
  {
    what: 'The account allows what the workers reserve',
    command:
      "aws lambda get-account-settings --query 'AccountLimit.[ConcurrentExecutions,UnreservedConcurrentExecutions]'",
    expect:
      'Both 1000 or more. New accounts may have 10: ask for 1,000, or deploy with -c reservedConcurrency=false',
  },
  {
    what: 'The sender of mails is verified, and SES may write to anybody',
    command: "aws sesv2 get-account --query '[ProductionAccessEnabled,SendingEnabled]'",
    expect: '[true, true]',
  },
  {
    what: 'The account can be deployed to',
    command: 'npx cdk bootstrap aws://<account>/<region>',
    expect: 'Environment aws://<account>/<region> bootstrapped',
  },
  {
    what: 'The service is deployed',
    command: 'npm run deploy -- -c env=<name>',
    expect:
      'No error, and the outputs ApiUrl, PeopleUrl, TableName, BucketName and AlarmsTopic; 20 to 40 minutes',
  },
  {
    what: 'It answers, and is the release that was deployed',
    command: 'curl -s <PeopleUrl>/health',
    expect: '{"status": "ok", "release": "<release>"}',
  },
  {
    what: 'Errors of the gateway have the form of the service',
    command: 'curl -s <ApiUrl>/v1/nothing',
    expect: '{"detail": …}, and not {"message": …}',
  },
  {
    what: 'The table has its stream, its indexes and its time to live',
    command: `TABLE_NAME=<TableName> ${OPERATOR} doctor`,
    expect: 'ok: true',
  },
  {
    what: 'There is an organization, and an admin',
    command: `TABLE_NAME=<TableName> ${OPERATOR} org create --name <name> --admin-email <you@example.com>`,
    expect: 'org_id: <org_id>',
  },
  {
    what: 'It has a key',
    command: `TABLE_NAME=<TableName> ${OPERATOR} key create --org <org_id> --name smoke --access read_write`,
    expect: 'key: ak_…, once',
  },
  {
    what: 'The main job works, with the real queues, roles and renderer',
    command: 'npm run smoke -- --url <ApiUrl> --key <key>',
    expect: 'Every line begins with ok; under a minute',
  },
  {
    what: 'IAM confines a session to its organization',
    command:
      "aws cloudtrail lookup-events --lookup-attributes AttributeKey=EventName,AttributeValue=AssumeRole --max-results 50 --query 'Events[].CloudTrailEvent' --output text",
    expect:
      'roleSessionName org-<alias>, with the tags org_id and alias, by roles below /<prefix>/<region>/operations/',
  },
  {
    what: 'The admin can sign in',
    command: 'open <PeopleUrl>/admin',
    expect: 'The page of the provider, then the app with the name of the organization',
  },
  {
    what: 'A mail arrives',
    command: 'Invite a second member in the app',
    expect: 'The invitation, which passes SPF and DKIM, and whose link opens the app',
  },
  {
    what: 'Alarms reach somebody',
    command:
      'aws cloudwatch set-alarm-state --alarm-name "$(aws cloudwatch describe-alarms --query \'MetricAlarms[?contains(AlarmName, `KeyFailures`)] | [0].AlarmName\' --output text)" --state-value ALARM --state-reason test',
    expect: 'A message with the text of the alarm and its command, and another one when it is over',
  },
  {
    what: 'Metrics of the areas arrive',
    command:
      "aws cloudwatch list-metrics --namespace InspectionService/<prefix> --metric-name Latency --query 'length(Metrics)'",
    expect: 'One for each area that has been used',
  },
  {
    what: 'The limits of the APIs are those of the page of ceilings',
    command: `aws apigateway get-stage --rest-api-id <id of each API> --stage-name ${STAGE} --query 'methodSettings."*/*".[throttlingRateLimit,throttlingBurstLimit]'`,
    expect: 'The numbers of the first two ceilings',
  },
  {
    what: 'A second deployment changes nothing',
    command: 'npm run deploy -- -c env=<name>',
    expect: '(no changes)',
  },
  {
    what: 'A bad release goes back by itself: change a function, deploy, and raise an alarm meanwhile',
    command: `npm run deploy -- -c env=<name> -c rollout=canary-5-minutes & sleep 600; aws cloudwatch set-alarm-state --alarm-name "$(aws cloudwatch describe-alarms --query 'MetricAlarms[?contains(AlarmName, \`StoredDeadLetters\`)] | [0].AlarmName' --output text)" --state-value ALARM --state-reason test; wait; aws cloudformation describe-stacks --stack-name <prefix> --query 'Stacks[0].StackStatus'`,
    expect:
      'The deployment fails with "stopped" and an alarm, then UPDATE_ROLLBACK_COMPLETE; curl <PeopleUrl>/health answers all the time. The page Rollback says how to see why',
  },
  {
    what: 'A restore works with the real backups',
    command: `TABLE_NAME=<TableName> ${OPERATOR} restore-plan --to <TableName>-drill`,
    expect: 'Steps; do the second to the fourth, then delete the restored table',
  },
];
