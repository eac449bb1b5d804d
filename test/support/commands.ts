import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { MiddlewareStack } from '@aws-sdk/types';

/** One command on its way to AWS, or to being signed. */
export interface Sending {
  /** `DynamoDBClient` and so on. */
  client: string;
  /** The action, without the class's `Command`. */
  command: string;
  input: Record<string, unknown>;
  /** Lets it pass; what comes back is what its sender would get. */
  send: () => Promise<object>;
}

export type Interceptor = (sending: Sending) => Promise<object>;

type Stack = MiddlewareStack<object, object>;

/** What every command of every AWS client is made of, also one that is only signed and never sent. */
interface CommandBase {
  resolveMiddlewareWithContext: (this: unknown, stack: Stack, ...rest: unknown[]) => unknown;
}

/**
 * Puts an SDK middleware in front of every command that a test file's modules send from now on, whichever
 * client sends it. `command` is any class of commands, where the SDK has been loaded anew.
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
