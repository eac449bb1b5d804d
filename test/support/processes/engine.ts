import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { type Engines, startEngines } from '../../../infra/local/engines.ts';

/** No test of this engine reads the stream, and without it a write costs a fifth less. */
const withoutStream = async (TableName: string): Promise<void> => {
  const client = new DynamoDBClient();
  await client.send(new UpdateTableCommand({ TableName, StreamSpecification: { StreamEnabled: false } }));
  client.destroy();
};

const ENDPOINTS = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_DYNAMODB_STREAMS'] as const;

// Runs on Node itself, beside jest: an engine of the table for each of its workers, because an engine does one request
// after the other. Each test file has its own organizations, so the files of a worker do not affect each other.
const engine = process.env['ENGINE'] === 'dynamodb-local' ? ('dynamodb-local' as const) : undefined;
const workers = process.env[ENDPOINTS[0]] ? 1 : Number(process.argv[2]);
const started: Engines[] = [];
do {
  // The other services are those of the first start.
  if (started.length > 0) for (const name of ENDPOINTS) delete process.env[name];
  const engines = await startEngines({ dataDir: null, engine, isGuarded: false });
  await withoutStream(engines.environment['TABLE_NAME']!);
  started.push(engines);
} while (started.length < workers);

const TEST_ENGINE_URLS = started.map(({ environment }) => environment[ENDPOINTS[0]]).join(' ');
process.stdout.write(`${JSON.stringify({ ...started[0]!.environment, TEST_ENGINE_URLS })}\n`);
process.stdin.resume().once('end', () => {
  void Promise.all(started.map((engines) => engines.stop())).then(() => process.exit(0));
});
