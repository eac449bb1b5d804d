/**
 * What AWS asks in us-east-1, in USD, without free tiers and without the lower prices of large amounts. The addresses
 * are the public lists; whoever changes a price changes the date.
 */
export const PRICES = {
  asOf: '2025-07-31',
  sources: [
    'https://aws.amazon.com/api-gateway/pricing/',
    'https://aws.amazon.com/lambda/pricing/',
    'https://aws.amazon.com/dynamodb/pricing/on-demand/',
    'https://aws.amazon.com/s3/pricing/',
    'https://aws.amazon.com/sqs/pricing/',
    'https://aws.amazon.com/ses/pricing/',
    'https://aws.amazon.com/kms/pricing/',
    'https://aws.amazon.com/cloudwatch/pricing/',
  ],
  /** REST API, first 333 million a month. */
  gatewayRequest: 3.5 / 1e6,
  functionRequest: 0.2 / 1e6,
  /** Of a GB of memory for a second. */
  functionSecond: { arm64: 0.0000133334, x86_64: 0.0000166667 },
  /** On demand: 1 KB written, 4 KB read with strong consistency. A transaction writes with two units for each. */
  writeUnit: 0.625 / 1e6,
  readUnit: 0.125 / 1e6,
  /** A GB for a month, with point-in-time recovery. */
  tableStorage: 0.25 + 0.2,
  bucketPut: 0.005 / 1e3,
  bucketGet: 0.0004 / 1e3,
  bucketStorage: 0.023,
  queueRequest: 0.4 / 1e6,
  mail: 0.1 / 1e3,
  keyRequest: 0.03 / 1e4,
  key: 1,
  /** A GB of log lines taken in. */
  log: 0.5,
  metric: 0.3,
  alarm: 0.1,
} as const;
