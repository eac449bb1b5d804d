import { createScheduledWorker } from '../../shared/http/worker/worker-handler.ts';

const METRICS_NAMESPACE = 'InspectionService/trial';

/** The metrics of a worker's log line. */
const metricsOf = async (variables: Record<string, string>) => {
  const before = { ...process.env };
  Object.assign(process.env, variables, { LOG_LEVEL: 'info' });
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    const source = { every: '5 minutes' } as const;
    await createScheduledWorker({ id: 'trial', summary: '', source, grants: [] }, async () => {})();
    return JSON.parse(String(write.mock.calls[0]![0]))._aws.CloudWatchMetrics;
  } finally {
    write.mockRestore();
    process.env = before;
  }
};

describe('the metrics of a log line', () => {
  test('are in the namespace of the deployment, by operation, and by area for an operation', async () => {
    expect(await metricsOf({ METRICS_NAMESPACE })).toMatchObject([
      { Namespace: METRICS_NAMESPACE, Dimensions: [['operation']] },
    ]);
    expect(await metricsOf({ METRICS_NAMESPACE, AREA: 'members' })).toMatchObject([
      { Namespace: METRICS_NAMESPACE, Dimensions: [['operation'], ['area']] },
    ]);
  });
});
