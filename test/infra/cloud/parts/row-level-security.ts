import { grantsOf } from '../../../../infra/grants.ts';
import { operationEntries, WORKERS } from '../catalogues.ts';
import {
  actionsOf,
  credentialUseOf,
  filled,
  keyUse,
  keyUseOf,
  type LambdaFunction,
  list,
  nameOf,
  ofType,
  type Role,
  roleOf,
  statementsOf,
  type Template,
  templatesOf,
} from '../templates.ts';

/** Whoever uses the key of credentials must name the owner of the secret and its organization. */
const named = (owner: 'connection' | 'webhook') => ({
  Null: { 'kms:EncryptionContext:organization': 'false', [`kms:EncryptionContext:${owner}`]: 'false' },
});

describe('row-level security, which is on by default', () => {
  const operations = operationEntries(20);
  let secured: Template[];

  beforeAll(async () => {
    ({ templates: secured } = await templatesOf({ operations, workers: WORKERS }));
  });

  const tenantRole = () =>
    ofType<Role>(secured, 'AWS::IAM::Role').find(({ id }) => id.startsWith('TenantRole'))!;

  test('functions reach only API keys and the log of requests by themselves, and everything else through the tenant role', () => {
    const functions = ofType<LambdaFunction>(secured, 'AWS::Lambda::Function');
    for (const entry of operations) {
      const found = functions.find(({ Properties }) => Properties.FunctionName === nameOf(entry))!;
      const role = roleOf(found, secured);
      const table = statementsOf(role).filter(({ Action }) =>
        list(Action).some((action) => action.startsWith('dynamodb:')),
      );
      expect(table).toEqual([
        {
          Effect: 'Allow',
          Action: 'dynamodb:UpdateItem',
          Resource: { Ref: 'TableArn' },
          Condition: {
            'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['KEY#*', 'ORG#*#REQUEST#*'] },
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        },
      ]);
      expect(keyUseOf(role)).toEqual(keyUse('<KeyArn>', ['dynamodb']));
      expect(actionsOf(role, 's3')).toEqual([]);
      expect(actionsOf(role, 'sts')).toEqual(['sts:AssumeRole', 'sts:TagSession']);
      const { TENANT_ROLE_ARN, TENANT_SESSION_POLICY } = found.Properties.Environment.Variables;
      expect(TENANT_ROLE_ARN).toEqual({ Ref: 'TenantRoleArn' });
      const { Statement } = JSON.parse(TENANT_SESSION_POLICY as string) as {
        Statement: { Action: string[]; Condition: object }[];
      };
      const isOfRows = ({ Condition }: { Condition: object }) => 'ForAllValues:StringLike' in Condition;
      const [ofRows, ...others] = Statement.toSorted((a, b) => Number(isOfRows(b)) - Number(isOfRows(a)));
      // None of these operations writes rows of no organization.
      expect(ofRows!.Condition).toEqual({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['ORG#*'] } });
      const grants = grantsOf(entry);
      expect(ofRows!.Action.toSorted()).toEqual(
        grants
          .filter((grant) => /^(table|bucket):/.test(grant))
          .map((grant) => grant.replace('table:', 'dynamodb:').replace('bucket:', 's3:'))
          .toSorted(),
      );
      expect(others).toEqual([
        expect.objectContaining({
          Action: keyUse('', []).actions,
          Condition: { StringLike: { 'kms:ViaService': ['dynamodb.*', 's3.*'] } },
        }),
        ...(grants.includes('credential:Decrypt')
          ? [expect.objectContaining({ Action: ['kms:Decrypt'], Condition: named('connection') })]
          : []),
        ...(grants.includes('secret:Encrypt')
          ? [expect.objectContaining({ Action: ['kms:Encrypt'], Condition: named('webhook') })]
          : []),
      ]);
      expect(credentialUseOf(role)).toEqual([]);
      expect((TENANT_SESSION_POLICY as string).length).toBeLessThan(2_048);
    }
  });

  test('the tenant role reaches only the rows and objects of one organization', () => {
    const statements = statementsOf(tenantRole());
    const table = statements.find(({ Action }) => list(Action).includes('dynamodb:Query'))!;
    const organization = 'ORG#${aws:PrincipalTag/org_id}';
    expect(table.Condition).toEqual({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [organization, `${organization}#*`] },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    });
    const objects = statements.find(({ Action }) => list(Action).includes('s3:PutObject'))!;
    expect(list(objects.Resource).map((arn) => filled(arn).replace(/^<Bucket\w+\.Arn>/, ''))).toEqual([
      '/org/${aws:PrincipalTag/alias}/*',
      '/pending/org/${aws:PrincipalTag/alias}/*',
      '/exports/org/${aws:PrincipalTag/alias}/*',
    ]);
    expect(statements.flatMap(({ Action }) => list(Action))).not.toContain('dynamodb:Scan');
    const own = { StringEquals: { 'kms:EncryptionContext:organization': '${aws:PrincipalTag/org_id}' } };
    expect(credentialUseOf(tenantRole())).toEqual([
      expect.objectContaining({ Action: 'kms:Decrypt', Condition: { ...named('connection'), ...own } }),
      expect.objectContaining({ Action: 'kms:Encrypt', Condition: { ...named('webhook'), ...own } }),
    ]);
    const key = ofType(secured, 'AWS::KMS::Key')[0]!.id;
    expect(keyUseOf(tenantRole())).toEqual(keyUse(`<${key}.Arn>`, ['dynamodb', 's3']));
  });

  test('only functions that serve requests may assume the tenant role, with the organization and its alias as the only tags', () => {
    const [statement] = tenantRole().Properties.AssumeRolePolicyDocument.Statement;
    expect(statement!.Action).toEqual(['sts:AssumeRole', 'sts:TagSession']);
    const { ArnLike, ...rest } = statement!.Condition!;
    expect(rest).toEqual({
      'ForAllValues:StringEquals': { 'aws:TagKeys': ['org_id', 'alias'] },
      Null: { 'aws:RequestTag/org_id': 'false' },
    });
    const trusted = filled(ArnLike!['aws:PrincipalArn']);
    expect(trusted).toBe('arn:aws:iam::123456789012:role/inspection-service/eu-west-1/operations/*');
    for (const { Properties } of ofType<LambdaFunction>(secured, 'AWS::Lambda::Function')) {
      const role = ofType<Role>(secured, 'AWS::IAM::Role').find(
        ({ id }) => id === Properties.Role['Fn::GetAtt'][0],
      )!;
      const serves = 'AREA' in Properties.Environment.Variables;
      expect(trusted === `arn:aws:iam::123456789012:role${filled(role.Properties.Path)}*`).toBe(serves);
    }
  });
});
