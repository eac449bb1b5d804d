import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { startEngines } from '../../../infra/local/engines.ts';

/** No test of this engine reads the stream, and without it a write costs a fifth less. */
const withoutStream = async (TableName: string): Promise<void> => {
  const client = new DynamoDBClient();
  await client.send(new UpdateTableCommand({ TableName, StreamSpecification: { StreamEnabled: false } }));
  client.destroy();
};

// Runs on Node itself, beside jest: one engine for all test files. Each file has its own organizations, so the files do
// not affect each other.
const engine = process.env['ENGINE'] === 'dynamodb-local' ? ('dynamodb-local' as const) : undefined;
const engines = await startEngines({ dataDir: null, engine, isGuarded: false });
await withoutStream(engines.environment['TABLE_NAME']!);
process.stdout.write(`${JSON.stringify(engines.environment)}\n`);
process.stdin.resume().once('end', () => void engines.stop().then(() => process.exit(0)));
