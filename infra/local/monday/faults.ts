import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the server does with a request instead of answering it. */
export type Fault = (given: {
  response: ServerResponse;
  /** Answers as if there were no fault. */
  answer: () => Promise<Record<string, unknown>>;
}) => Promise<void> | void;

const json = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body));

const appError = (
  code: string,
  message: string,
  error_data: object = {},
  path: (string | number)[] = [],
) => ({
  data: null,
  errors: [{ message, path, extensions: { code, status_code: 200, error_data } }],
  account_id: 1001,
});

/** Replies with an error of the application, and with the status 200, as monday.com does. */
export const fails =
  (code: string, message = code, error_data: object = {}): Fault =>
  ({ response }) =>
    json(response, 200, appError(code, message, error_data));

/** The form of errors before version 2025-01. */
export const failsInOlderForm =
  (error_code: string, status_code: number, error_data: object = {}): Fault =>
  ({ response }) =>
    json(response, 200, { error_code, error_message: `Older: ${error_code}`, error_data, status_code });

/** Any reply. */
export const replies =
  (status: number, body: string, headers: Record<string, string> = {}): Fault =>
  ({ response }) =>
    void response.writeHead(status, headers).end(body);

/** @param retryAfter the header; none if undefined */
export const rateLimited =
  (retryAfter?: string): Fault =>
  ({ response }) =>
    json(
      response,
      429,
      { errors: [{ message: 'Rate Limit Exceeded', extensions: { code: 'RateLimitExceeded' } }] },
      retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    );

/** Answers after a while, in milliseconds. */
export const isSlow =
  (delay: number): Fault =>
  async ({ response, answer }) => {
    await sleep(delay);
    json(response, 200, await answer());
  };

/** The reply ends in its middle, with the connection. */
export const cutsBody: Fault = async ({ response, answer }) => {
  const text = JSON.stringify(await answer());
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
};

/** The reply ends in its middle as if it were whole. */
export const cutsJson: Fault = async ({ response, answer }) => {
  const text = JSON.stringify(await answer());
  response.writeHead(200, { 'content-type': 'application/json' }).end(text.slice(0, text.length / 2));
};

export const resetsConnection: Fault = ({ response }) => void response.socket?.resetAndDestroy();

/** Changes the answer. */
export const alters =
  (change: (body: Record<string, unknown>) => unknown): Fault =>
  async ({ response, answer }) =>
    json(response, 200, change(await answer()));

const HTML = '<!DOCTYPE html><html><title>502</title><body>Bad gateway</body></html>';

/** The faults by name, as they can be asked for while the service runs. */
export const FAULTS: Readonly<Record<string, (seconds: number) => Fault>> = {
  unauthorized: () => replies(401, '{"errors":["Not Authenticated"]}'),
  forbidden: () => fails('UserUnauthorizedException', 'User unauthorized to perform action'),
  rate_limited: (seconds) => rateLimited(String(seconds)),
  complexity: (seconds) =>
    fails('COMPLEXITY_BUDGET_EXHAUSTED', 'Complexity budget exhausted', { retry_in_seconds: seconds }),
  daily_limit: () => fails('DAILY_LIMIT_EXCEEDED', 'Daily limit exceeded'),
  server_error: () => replies(500, '{"errors":[{"message":"Internal server error"}]}'),
  slow: (seconds) => isSlow(seconds * 1_000),
  cut: () => cutsBody,
  html: () => replies(502, HTML, { 'content-type': 'text/html' }),
  empty: () => replies(200, ''),
  expired_cursor: () => fails('CursorExpiredError', 'The cursor provided for pagination has expired'),
};
