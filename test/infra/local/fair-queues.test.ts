import { randomUUID } from 'node:crypto';
import { ReceiveMessageCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { nextMessages } from '../../../infra/local/engines/fair-queues.ts';
import { createQueue } from '../../../infra/local/engines/resources.ts';

const of = (messageGroupId: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ messageGroupId, name: `${messageGroupId}${n}` }));

const namesOf = (messages: readonly { name: string }[]): string[] => messages.map(({ name }) => name);

describe('the next messages of a queue', () => {
  test.each([
    ['in their order, of one organization', of('a', 5), [], 3, ['a0', 'a1', 'a2']],
    [
      'those of a quiet one after one of a flood',
      [...of('a', 100), ...of('b', 2)],
      [],
      4,
      ['a0', 'b0', 'a1', 'b1'],
    ],
    [
      'those of a quiet one first, when others are in flight',
      [...of('a', 100), ...of('b', 1)],
      of('a', 3),
      2,
      ['b0', 'a0'],
    ],
    [
      'of the one that has the fewest in flight',
      [...of('a', 9), ...of('b', 9)],
      [...of('a', 2), ...of('b', 1)],
      3,
      ['b0', 'a0', 'b1'],
    ],
    [
      'of three in turns',
      [...of('a', 9), ...of('b', 9), ...of('c', 1)],
      [],
      5,
      ['a0', 'b0', 'c0', 'a1', 'b1'],
    ],
    ['no more than there are', of('a', 1), [], 10, ['a0']],
  ])('are %s', (_, waiting, inFlight, count, expected) => {
    expect(namesOf(nextMessages(waiting, inFlight, count))).toEqual(expected);
  });

  test('leave out an organization for which there is no room, and take what there is room for', () => {
    const waiting = [...of('a', 9), ...of('b', 9)];
    const next = nextMessages(waiting, [], 9, (group) => (group === 'a' ? 0 : 2));
    expect(namesOf(next)).toEqual(['b0', 'b1']);
  });

  test('without an organization are each by themselves', () => {
    const others = ['x', 'y'].map((name) => ({ name, messageGroupId: undefined }));
    const waiting = [...of('a', 3), ...others];
    expect(namesOf(nextMessages(waiting, [], 4))).toEqual(['a0', 'x', 'y', 'a1']);
  });
});

test('a queue of the engine gives out the message of a quiet organization after one of a flood', async () => {
  const sqs = new SQSClient();
  const QueueUrl = await createQueue(`fair-${randomUUID()}`, process.env['AWS_ENDPOINT_URL_SQS']!);
  const send = (group: string, count: number) =>
    sqs.send(
      new SendMessageBatchCommand({
        QueueUrl,
        Entries: Array.from({ length: count }, (_, n) => ({
          Id: String(n),
          MessageBody: JSON.stringify({ org_id: group, n }),
          MessageGroupId: group,
        })),
      }),
    );
  await send('loud', 10);
  await send('loud', 10);
  await send('quiet', 1);
  const organizations: string[] = [];
  for (let n = 0; n < 21; n += 1) {
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    organizations.push(...Messages.map(({ Body }) => JSON.parse(Body!).org_id));
  }
  expect(organizations.indexOf('quiet')).toBe(1);
  expect(organizations).toHaveLength(21);
});
