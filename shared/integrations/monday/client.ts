import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod';
import { optionalEnvironment } from '../../base/environment.ts';
import { currentRequest } from '../../base/request.ts';
import { OutgoingError } from '../../outside/outgoing-error.ts';
import { callOperatorUrl, type OutgoingReply } from '../../outside/send.ts';
import { type Gap, VendorError } from '../vendor.ts';
import { API_VERSION, type DocumentName, DOCUMENTS } from './documents.ts';
import {
  errorsOf,
  failureOf,
  outage,
  PageTooLarge,
  type ReplyError,
  retryAfterOf,
  unauthorized,
} from './failures.ts';
import { REPLIES } from './replies.ts';

const API_URL = 'https://api.monday.com/v2';

/** monday.com itself ends a call after 60 seconds. In milliseconds, and bytes. */
const LIMITS = { connect_ms: 5_000, first_byte_ms: 62_000, total_ms: 70_000, max_bytes: 16_000_000 };

/** How long to wait before a call is repeated that failed at once, in milliseconds. */
export const PAUSE = { after_outage: 500 };

/** What a reply says by its status alone. */
const WITHOUT_WORDS: ReplyError = {
  code: '',
  message: '',
  path: [],
  status: undefined,
  retry_in_seconds: undefined,
};

export interface Answer<Data> {
  data: Data;
  /** What is missing in the data. */
  gaps: Gap[];
  /** Why something is missing; undefined when nothing is. */
  failure: VendorError | undefined;
}

type DataOf<Name extends DocumentName> = z.output<(typeof REPLIES)[Name]>;

/** The item that a path leads into. */
const itemAt = (data: unknown, path: ReplyError['path']): string | null => {
  let node = data;
  let item: string | null = null;
  for (const [position, step] of path.entries()) {
    node = (node as Record<string | number, unknown> | null | undefined)?.[step];
    const isItem = typeof step === 'number' && ['items', 'subitems'].includes(String(path[position - 1]));
    const id = isItem && (node as { id?: unknown } | null | undefined)?.id;
    if (typeof id === 'string') item = id;
  }
  return item;
};

/**
 * The body as an object. The token is removed from it first, should the body repeat it.
 * @throws VendorError when it is no object: then something other than the API has answered
 */
const parsed = ({ body, status, isCut }: OutgoingReply, token: string): Record<string, unknown> => {
  if (isCut) throw new PageTooLarge('REPLY_TOO_LARGE');
  try {
    const value: unknown = JSON.parse(body.toString('utf8').replaceAll(token, '…'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // The parser's message has parts of the body in it.
  }
  if (status === 401 || status === 429) return {};
  throw outage(`it answered with status ${status} and no JSON`);
};

/** Sends documents to monday.com, one at a time for each caller, with one token. */
export class MondayApi {
  calls = 0;
  readonly #token: string;
  readonly #maxWait: number;

  /** @param maxWait how long a call waits when monday.com asks for a pause, in seconds */
  constructor(token: string, maxWait: number) {
    this.#token = token;
    this.#maxWait = maxWait;
  }

  /**
   * Sends one document. If a short pause may help after a failure, it is sent once more.
   * @throws VendorError
   */
  async ask<Name extends DocumentName>(
    name: Name,
    variables: Record<string, unknown>,
  ): Promise<Answer<DataOf<Name>>> {
    try {
      return await this.#attempt(name, variables);
    } catch (error) {
      const pause = this.#pauseAfter(error);
      if (pause === undefined) throw error;
      await sleep(pause);
      return this.#attempt(name, variables);
    }
  }

  /** How long to wait before the call is repeated, in milliseconds; undefined when it is not repeated. */
  #pauseAfter(error: unknown): number | undefined {
    if (!(error instanceof VendorError)) return undefined;
    const { failure } = error;
    const isLate = (error.cause as Partial<OutgoingError> | undefined)?.reason === 'timeout';
    const canWait =
      failure.kind === 'limited' && !failure.is_daily && failure.retry_in_seconds <= this.#maxWait;
    const pause = canWait
      ? failure.retry_in_seconds * 1_000
      : failure.kind === 'outage' && !isLate
        ? PAUSE.after_outage
        : undefined;
    const { deadline = Infinity } = currentRequest() ?? {};
    return pause !== undefined && performance.now() + pause < deadline ? pause : undefined;
  }

  async #attempt<Name extends DocumentName>(
    name: Name,
    variables: Record<string, unknown>,
  ): Promise<Answer<DataOf<Name>>> {
    const reply = await this.#send(JSON.stringify({ query: DOCUMENTS[name], variables }));
    const body = parsed(reply, this.#token);
    const errors = errorsOf(body);
    const retryAfter = retryAfterOf(reply.headers['retry-after']);
    const failures = errors.map((error) => failureOf(error, reply.status, retryAfter));
    if (reply.status !== 200) {
      throw failures[0] ?? failureOf(WITHOUT_WORDS, reply.status, retryAfter);
    }
    // The whole call fails at a limit, and with a bad token.
    const whole = failures.find(
      ({ failure: { kind } }) => !['refused', 'outage', 'not_found'].includes(kind),
    );
    if (whole) throw whole;
    const { success, data } = REPLIES[name].safeParse(body['data']);
    if (!success) throw failures[0] ?? outage('its answer has another form than its API describes');
    const gaps = errors.map((error) => ({
      item_id: itemAt(body['data'], error.path),
      code: error.code,
      message: error.message,
    }));
    return { data: data as DataOf<Name>, gaps, failure: failures[0] };
  }

  async #send(body: string): Promise<OutgoingReply> {
    if (!this.#token) throw unauthorized();
    this.calls += 1;
    try {
      return await callOperatorUrl(
        {
          url: optionalEnvironment('MONDAY_API_URL') ?? API_URL,
          method: 'POST',
          headers: {
            authorization: this.#token,
            'api-version': API_VERSION,
            'content-type': 'application/json',
          },
          body,
        },
        LIMITS,
      );
    } catch (error) {
      if (error instanceof OutgoingError) {
        const isLate = error.reason === 'timeout';
        throw outage(isLate ? 'it did not answer in time' : 'the connection failed', error);
      }
      throw error;
    }
  }
}
