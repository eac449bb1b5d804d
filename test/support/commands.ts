import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { MiddlewareStack } from '@aws-sdk/types';

/** A command of the AWS SDK that is about to be sent or signed. */
export interface Sending {
  /** `DynamoDBClient` and so on. */
  client: string;
  /** The name of the class without `Command`, such as `GetItem`. */
  command: string;
  input: Record<string, unknown>;
  /** Sends the command. @returns the output for the sender */
  send: () => Promise<object>;
}

export type Interceptor = (sending: Sending) => Promise<object>;

type Stack = MiddlewareStack<object, object>;

/** The base of every command of every AWS client, also of one that is only signed. */
interface CommandBase {
  resolveMiddlewareWithContext: (this: unknown, stack: Stack, ...rest: unknown[]) => unknown;
}

/**
 * Adds an SDK middleware to every command that the modules of a test file send from now on, by any client.
 * @param command any command class of the SDK; needed if the test has loaded the SDK again
 */
export const interceptCommands = (
  name: string,
  interceptor: Interceptor,
  command: { prototype: object } = GetItemCommand,
): void => {
  const base = Object.getPrototypeOf(Object.getPrototypeOf(command.prototype)) as CommandBase;
  const { resolveMiddlewareWithContext } = base;
  base.resolveMiddlewareWithContext = function intercepted(stack, ...rest) {
    const extended = stack.clone();
    extended.add(
      (next, context) => async (args) => {
        let others: object = { response: {} };
        const send = async () => {
          const { output, ...more } = await next(args);
          others = more;
          return output;
        };
        const { clientName, commandName } = context as { clientName?: string; commandName?: string };
        const sending: Sending = {
          client: clientName ?? '',
          command: (commandName ?? '').replace(/Command$/, ''),
          input: args.input as Record<string, unknown>,
          send,
        };
        const output = await interceptor(sending);
        return { ...others, output } as never;
      },
      { step: 'initialize', priority: 'high', name },
    );
    return resolveMiddlewareWithContext.call(this, extended, ...rest);
  };
};
