/**
 * - `refused`: the address is one that the service does not call.
 * - `timeout`: the other side did not answer in time.
 * - `failed`: there was no connection, or it ended before the end of the reply.
 */
type Reason = 'refused' | 'timeout' | 'failed';

/** A call that got no reply. The message names the host and nothing more: paths and headers may contain secrets. */
export class OutgoingError extends Error {
  override name = 'OutgoingError';
  readonly reason: Reason;

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
