import { marshall } from '@aws-sdk/util-dynamodb';
import { interceptCommands, type Sending } from './commands.ts';
import { sdkError } from './faults.ts';

/** A command as the fake of AWS gets it: `UpdateItem KEY`, its name and the first part of the partition. */
type Named = string;

/** What the fake replies to a command: its output, or the error that it throws. */
type Answer = object | Error | ((input: Sending['input']) => object | Error);

/** The commands that were sent since the fake was set up, in their order. */
export const sentCommands: { name: Named; input: Sending['input'] }[] = [];

let answers: Record<Named, Answer> = {};

/** The first part of the partition key of the first row that a command is about; none for another service. */
const partitionOf = ({
  Key,
  Item,
  RequestItems,
  ExpressionAttributeValues,
  TransactItems,
}: Sending['input']) =>
  /"([A-Z]+)#/
    .exec(JSON.stringify([Key, Item, RequestItems, ExpressionAttributeValues, TransactItems]))
    ?.slice(1) ?? [];

/**
 * Puts a fake in the place of AWS, for the commands of a test file that needs no engine: what is sent beside those that
 * `answers` names fails the test. Called once in a test file, and `answerWith` in each test.
 */
export const closeDoor = (): void =>
  interceptCommands('door', async ({ command, input }) => {
    const name = [command, ...partitionOf(input)].join(' ');
    sentCommands.push({ name, input });
    const answer = answers[name];
    const output = typeof answer === 'function' ? answer(input) : answer;
    if (output === undefined) throw new Error(`nothing answers ${name}`);
    if (output instanceof Error) throw output;
    return { $metadata: {}, ...output };
  });

/** Sets what the fake replies from now on, and forgets what was sent. */
export const answerWith = (given: Record<Named, Answer>): void => {
  answers = given;
  sentCommands.length = 0;
};

/** DynamoDB's error for a condition that the row does not meet; without a row where there is none. */
export const conditionFailed = (row?: object): Error =>
  sdkError('ConditionalCheckFailedException', {
    $fault: 'client',
    $metadata: { httpStatusCode: 400 },
    ...(row && { Item: marshall(row, { removeUndefinedValues: true }) }),
  });
