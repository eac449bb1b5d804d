import { Aws, Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import {
  AccountRecovery,
  type CfnUserPoolClient,
  FeaturePlan,
  Mfa,
  OAuthScope,
  UserPool,
  UserPoolClient,
} from 'aws-cdk-lib/aws-cognito';
import { acknowledge } from './checks.ts';
import type { Settings } from './settings.ts';
import type { StorageStack } from './storage.ts';

/** The identity provider that people sign in with. */
export interface Provider {
  issuer: string;
  clientId: string;
  /** Of the pool that the deployment has created. */
  userPoolId?: string;
}

/** The pool with the people of the deployment. It outlives the deployment, like the table that refers to them. */
const addUserPool = (storage: StorageStack, { prefix }: Settings): UserPool => {
  const pool = new UserPool(storage, 'People', {
    // Nobody signs up by themselves: an admin of the deployment creates people, or connects their directory.
    selfSignUpEnabled: false,
    signInAliases: { email: true },
    signInCaseSensitive: false,
    standardAttributes: { email: { required: true, mutable: true } },
    autoVerify: { email: true },
    mfa: Mfa.OPTIONAL,
    mfaSecondFactor: { sms: false, otp: true },
    accountRecovery: AccountRecovery.EMAIL_ONLY,
    passwordPolicy: {
      minLength: 12,
      requireLowercase: true,
      requireUppercase: true,
      requireDigits: true,
      requireSymbols: true,
      tempPasswordValidity: Duration.days(7),
    },
    featurePlan: FeaturePlan.ESSENTIALS,
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  acknowledge(pool, {
    COG2: 'People may add a second factor. Whoever must have one uses the identity provider of their company.',
    COG3: 'Threat protection needs the Plus plan, which bills each person. The account that deploys may choose it.',
    COG8: 'The Plus plan bills each person. The account that deploys may choose it.',
  });
  // The name is unique in all of AWS, so it has the account's number.
  pool.addDomain('Domain', { cognitoDomain: { domainPrefix: `${prefix}-${Aws.ACCOUNT_ID}` } });
  return pool;
};

/**
 * The identity provider of the settings, or a user pool of the deployment's own. Its client has no secret: PKCE protects
 * the code, and there is no secret to keep.
 * @param url where the service is
 */
export const addSignIn = (stack: Stack, storage: StorageStack, settings: Settings, url: string): Provider => {
  const { oidcIssuer, oidcClientId } = settings;
  if (oidcIssuer && oidcClientId) return { issuer: oidcIssuer, clientId: oidcClientId };
  const pool = addUserPool(storage, settings);
  const client = new UserPoolClient(stack, 'SignInClient', {
    userPool: pool,
    generateSecret: false,
    preventUserExistenceErrors: true,
    oAuth: {
      flows: { authorizationCodeGrant: true },
      scopes: [OAuthScope.OPENID, OAuthScope.EMAIL, OAuthScope.PROFILE],
      callbackUrls: [`${url}/app/sign-in/callback`],
      logoutUrls: [`${url}/app/sign-in`],
    },
    // The service uses a token once, when it gets it.
    accessTokenValidity: Duration.minutes(5),
    idTokenValidity: Duration.minutes(5),
    refreshTokenValidity: Duration.hours(1),
  });
  // Left out, Cognito allows sign-in by password (SRP) and by custom challenges beside the code flow.
  (client.node.defaultChild as CfnUserPoolClient).explicitAuthFlows = ['ALLOW_REFRESH_TOKEN_AUTH'];
  const issuer = `https://cognito-idp.${Aws.REGION}.${Aws.URL_SUFFIX}/${pool.userPoolId}`;
  return { issuer, clientId: client.userPoolClientId, userPoolId: pool.userPoolId };
};
