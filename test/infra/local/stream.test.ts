import type { DynamoDBStreamEvent } from 'aws-lambda';
import { pollStream } from '../../../infra/local/workers/stream.ts';
import { type Fault, installFaults, withFault } from '../../support/faults.ts';

installFaults();

/** Pages of record numbers, by the ids of shards. */
type Shards = Record<string, { parent?: string; pages: number[][]; isOpen?: boolean }>;

/** A stream of these shards, which are listed in their order. */
const streamOf =
  (shards: Shards): Fault =>
  async ({ command, input }) => {
    if (command === 'DescribeTable') return { Table: { LatestStreamArn: 'arn' } };
    if (command === 'DescribeStream') {
      const Shards = Object.entries(shards).map(([ShardId, { parent }]) => ({
        ShardId,
        ParentShardId: parent,
      }));
      return { StreamDescription: { Shards } };
    }
    if (command === 'GetShardIterator') return { ShardIterator: `${String(input['ShardId'])} 0` };
    const [id, position] = String(input['ShardIterator']).split(' ');
    const { pages, isOpen = false } = shards[id!]!;
    const next = Number(position) + 1;
    const goesOn = next < pages.length || isOpen;
    return {
      Records: (pages[Number(position)] ?? []).map((number) => ({
        eventName: 'INSERT',
        dynamodb: { SequenceNumber: String(number), NewImage: { outbox: { S: 'event' } } },
      })),
      NextShardIterator: goesOn ? `${id} ${Math.min(next, pages.length)}` : undefined,
    };
  };

/** A worker that polls a stream of these shards, and the numbers of the records that it has got. */
const reading = (shards: Shards) => {
  const seen: number[] = [];
  const run = async (event: unknown) => {
    const { Records } = event as DynamoDBStreamEvent;
    seen.push(...Records.map(({ dynamodb }) => Number(dynamodb!.SequenceNumber)));
    return { batchItemFailures: [] };
  };
  const poll = pollStream(run, new AbortController().signal);
  return { seen, poll: () => withFault(streamOf(shards), poll) };
};

describe('a shard that has ended', () => {
  test('goes on in its child, which is read after it, also when that is listed first', async () => {
    const child = { parent: 'parent', pages: [[4], [5]], isOpen: true };
    const { seen, poll } = reading({ child, parent: { pages: [[1, 2], [3]] } });
    for (let polls = 0; polls < 6; polls += 1) await poll();
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });

  test('goes on in a child that has come since, while another shard stays open', async () => {
    const shards: Shards = { open: { pages: [[10]], isOpen: true }, parent: { pages: [[1]] } };
    const { seen, poll } = reading(shards);
    await poll();
    shards['child'] = { parent: 'parent', pages: [[2]], isOpen: true };
    await poll();
    expect(seen).toEqual([10, 1, 2]);
  });
});
