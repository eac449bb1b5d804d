import { systemClient } from '../../shared/table/client.ts';

interface Traffic {
  calls: number;
  /** The size of the replies. */
  bytes: number;
}

interface Replied {
  response: { headers: Record<string, string> };
}

/** Runs `work` and counts its DynamoDB calls and the bytes of their replies. */
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

/** The number of DynamoDB calls of one run, for each subject. A first run opens the key's minute and is not counted. */
export const callsOf = async <Subject>(
  subjects: readonly Subject[],
  run: (subject: Subject) => Promise<unknown>,
): Promise<number[]> => {
  const counts = [];
  for (const subject of subjects) {
    await run(subject);
    counts.push((await traffic(async () => void (await run(subject)))).calls);
  }
  return counts;
};
