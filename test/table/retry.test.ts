import { ApiError } from '../../shared/base/api-error.ts';
import { MAX_CALL_MS } from '../../shared/base/connection.ts';
import * as errors from '../../shared/base/errors.ts';
import { keys } from '../../shared/table/keys.ts';
import { isTransient, RETRY } from '../../shared/table/retry.ts';
import { getRow } from '../../shared/table/rows.ts';
import { sdkError } from '../support/faults.ts';
import { answersWith, type Peer, startPeer } from '../support/peer.ts';

/** Milliseconds that no call takes, however busy the machine is. */
const LONG = 3_600_000;
Object.assign(MAX_CALL_MS, { connection: LONG, role: LONG });

const refused = (name: string, status = 400) => sdkError(name, { $metadata: { httpStatusCode: status } });
const unconnected = (code: string) => Object.assign(new Error(code), { code });

describe('isTransient', () => {
  test.each([
    // DynamoDB
    'ProvisionedThroughputExceededException',
    'RequestLimitExceeded',
    'ThrottlingException',
    'TransactionConflictException',
    'TransactionInProgressException',
    // KMS
    'DisabledException',
    'KMSInvalidStateException',
    // STS
    'Throttling',
    // S3
    'RequestTimeout',
    'SlowDown',
    'KMS.ThrottlingException',
    'KMS.DisabledException',
    'KMS.KMSInvalidStateException',
    // SQS
    'KmsThrottled',
    'KmsDisabled',
    'KmsInvalidState',
    'RequestThrottled',
    // SES
    'TooManyRequestsException',
    // Other services
    'BandwidthLimitExceeded',
    'PriorRequestNotComplete',
    'ThrottledException',
  ])('is true for %s, which is a 400', (name) => {
    expect(isTransient(refused(name))).toBe(true);
  });

  test.each([429, 500, 502, 503, 504, 520])('is true for a reply with status %i and no name', (status) => {
    expect(isTransient(refused('Unknown', status))).toBe(true);
  });

  test.each([
    'EAI_AGAIN',
    'EAI_FAIL',
    'ECONNREFUSED',
    'ECONNRESET',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EPIPE',
    'ETIMEDOUT',
    'HPE_INVALID_CONSTANT',
  ])('is true for a connection that fails with %s', (code) => {
    expect(isTransient(unconnected(code))).toBe(true);
  });

  test('is true for a signature that an own clock was too wrong for, which the SDK has set by then', () => {
    const skewed = { $metadata: { httpStatusCode: 403, clockSkewCorrected: true } };
    expect(isTransient(sdkError('RequestTimeTooSkewed', skewed))).toBe(true);
  });

  test.each([
    ['a refused call', refused('ValidationException')],
    ['a failed condition', refused('ConditionalCheckFailedException')],
    ['missing rights', refused('AccessDenied', 403)],
    ['a missing table', refused('ResourceNotFoundException')],
    ['a bug', new TypeError('x is not a function')],
    ['a failure that was retried already', errors.unavailable('The database', unconnected('ECONNRESET'))],
  ])('is false for %s', (_, error) => {
    expect(isTransient(error)).toBe(false);
  });
});

describe('a session of the tenant role', () => {
  const caller = { org_id: 'o', user_id: 'u', name: 'Caller' };
  let sts: Peer;

  beforeAll(async () => {
    sts = await startPeer();
    process.env['AWS_ENDPOINT_URL_STS'] = sts.url;
    process.env['TENANT_ROLE_ARN'] = 'arn:aws:iam::000000000000:role/tenant';
  });
  afterAll(() => sts.close());

  const reply = (code: string) =>
    `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>No</Message></Error></ErrorResponse>`;

  test.each([
    ['503 after some attempts', 'Throttling', true],
    ['no 503 and one attempt', 'AccessDenied', false],
  ])('%s when STS answers 400 with %s', async (_, code, isRetried) => {
    Object.assign(RETRY, { budget: LONG });
    sts.now(async (given) => {
      // The time for retries is over at the second attempt.
      if (given.turn > 1) Object.assign(RETRY, { budget: 0 });
      await answersWith(400, reply(code))(given);
    });
    const error = await getRow(caller, keys.organization(caller)).catch((thrown: unknown) => thrown);
    expect(error instanceof ApiError && error.status === 503).toBe(isRetried);
    expect(sts.turns() > 1).toBe(isRetried);
  });
});
