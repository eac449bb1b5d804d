import type { QueueName } from './queues.ts';

/** The names by which a function finds its table, bucket and queues; the deployment and the local service set them. */
export type Variable = 'TABLE_NAME' | 'BUCKET_NAME' | `${Uppercase<QueueName>}_QUEUE_URL`;

/** What a deployment may leave empty. */
type OptionalVariable = 'MAIL_FROM';

/**
 * The value of one of the deployment's variables, read when it is first needed and never at import.
 * @throws Error naming the variable when it is not set.
 */
export const environment = (name: Variable): string => {
  const value = process.env[name];
  if (!value) throw new Error(`environment variable ${name} is not set`);
  return value;
};

/** The value of a variable that need not be set. */
export const optionalEnvironment = (name: OptionalVariable): string | undefined =>
  process.env[name] || undefined;
