import { appendFileSync } from 'node:fs';
import { interceptCommands, type Sending } from './commands.ts';

/** A write, alone or in a transaction. */
interface Conditional {
  Key?: { pk: string; sk: string };
  Item?: { pk: string; sk: string };
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
  UpdateExpression?: string;
}

const VALUES = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{24,}|[\w-]{40,}|\d{4}-\d\d[-\dT:.Z]*|\d+/g;

/** A condition by its row and its expression, without what differs from organization to organization. */
const nameOf = ({
  Key,
  Item,
  ConditionExpression = '',
  ExpressionAttributeNames = {},
}: Conditional): string => {
  const { pk, sk } = (Key ?? Item)!;
  const expression = ConditionExpression.replaceAll(
    /#\w+/g,
    (name) => ExpressionAttributeNames[name] ?? name,
  );
  return `${`${pk} ${sk}`.replaceAll(VALUES, '*')}: ${expression.replaceAll(/:(\w+?)\d+/g, ':$1')}`;
};

const writesIn = (input: Sending['input']): Conditional[] => {
  const items = input['TransactItems'] as Record<string, Conditional>[] | undefined;
  return (items ? items.flatMap((item) => Object.values(item)) : [input as Conditional]).filter(
    ({ ConditionExpression }) => ConditionExpression,
  );
};

/** Leaves a condition out. The names and values that nothing else uses go, too, because DynamoDB refuses them. */
const leaveOut = (write: Conditional): void => {
  delete write.ConditionExpression;
  for (const part of ['ExpressionAttributeNames', 'ExpressionAttributeValues'] as const) {
    const used = Object.entries(write[part] ?? {}).filter(([name]) =>
      new RegExp(`${name}(?!\\w)`).test(write.UpdateExpression ?? ''),
    );
    if (used.length > 0) Object.assign(write, { [part]: Object.fromEntries(used) });
    else delete write[part];
  }
};

const { NOTE_CONDITIONS, LEAVE_OUT_CONDITION } = process.env;

/**
 * For `npm run test:conditions`: notes the conditions of all writes of a test file in a file of lines, or leaves one
 * condition out.
 */
export const watchConditions = (): void => {
  if (!NOTE_CONDITIONS && !LEAVE_OUT_CONDITION) return;
  const noted = new Set<string>();
  interceptCommands('conditions', ({ client, input, send }) => {
    for (const write of client === 'DynamoDBClient' ? writesIn(input) : []) {
      const name = nameOf(write);
      if (name === LEAVE_OUT_CONDITION) leaveOut(write);
      if (NOTE_CONDITIONS && !noted.has(name)) {
        noted.add(name);
        appendFileSync(NOTE_CONDITIONS, `${JSON.stringify([expect.getState().testPath, name])}\n`);
      }
    }
    return send();
  });
};
