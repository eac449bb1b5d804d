import { systemClient } from '../../shared/db/table/client.ts';

interface Traffic {
  calls: number;
  /** Of the replies. */
  bytes: number;
}

interface Replied {
  response: { headers: Record<string, string> };
}

/** Runs `work` and says what went between it and DynamoDB. */
export const traffic = async (work: () => Promise<void>): Promise<Traffic> => {
  const seen: Traffic = { calls: 0, bytes: 0 };
  const { middlewareStack } = systemClient();
  middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      seen.calls += 1;
      seen.bytes += Number((result as unknown as Replied).response.headers['content-length']);
      return result;
    },
    { step: 'deserialize', priority: 'high', name: 'traffic' },
  );
  await work();
  middlewareStack.remove('traffic');
  return seen;
};
