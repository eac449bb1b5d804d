import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod';
import { PRIVATE_HEADERS } from '../pages/page.ts';
import { newHandler } from './lambda.ts';
import { answerErrorPages } from './middlewares/answer-error-pages.ts';
import type { HttpRequest } from './middlewares/chain.ts';
import type { BrowserOperation } from './operation/operation.ts';
import type { Reply } from './reply/reply.ts';
import { checkedQuery } from './request/checked-query.ts';

/** The argument of a step's logic. */
export interface Step<Op extends BrowserOperation> {
  event: APIGatewayProxyEvent;
  query: Op['query'] extends z.ZodType ? z.output<Op['query']> : undefined;
  /** The query as it was sent, whatever the declaration names. */
  parameters: URLSearchParams;
}

/** Where a step sends the browser, and what the browser keeps. */
export interface NextStep {
  location: string;
  cookies: readonly string[];
}

const parametersOf = ({ multiValueQueryStringParameters: query }: APIGatewayProxyEvent): URLSearchParams =>
  new URLSearchParams(
    Object.entries(query ?? {}).flatMap(([name, values]) =>
      (values ?? []).map((value): [string, string] => [name, value]),
    ),
  );

/**
 * The Lambda handler of a step of the sign-in: its logic within the chain of middlewares. Whatever goes wrong is a page.
 *
 * errors → parse → logic → reply.
 */
export const createBrowserHandler = <const Op extends BrowserOperation>(
  operation: Op,
  logic: (step: Step<Op>) => Promise<NextStep>,
) => {
  const run = async ({ event }: HttpRequest): Promise<Reply> => {
    const query = checkedQuery(operation.query, event);
    const { location, cookies } = await logic({ event, query, parameters: parametersOf(event) } as Step<Op>);
    return {
      statusCode: operation.success,
      headers: { ...PRIVATE_HEADERS, location },
      multiValueHeaders: { 'set-cookie': [...cookies] },
      body: '',
    };
  };
  return newHandler(operation, { middlewares: [answerErrorPages()], run });
};
