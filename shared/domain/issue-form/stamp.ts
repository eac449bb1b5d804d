import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** 128 bits: no two forms have the same nonce, and nobody finds the photos of another form by guessing. */
const NONCE_BYTES = 16;
const MAC_BYTES = 16;

/** Base36 milliseconds, nonce and signature. */
const STAMP = /^([0-9a-z]{8,9})\.([\w-]{22})\.([\w-]{22})$/;

/** The content of a stamp. */
export interface Stamp {
  /** Identifies the form. A form that is sent twice makes one issue. */
  nonce: string;
  /** When the form was handed out, in epoch milliseconds. */
  issuedAt: number;
}

const macOf = (secret: string, signed: string): Buffer =>
  createHmac('sha256', secret).update(signed).digest().subarray(0, MAC_BYTES);

/** Signs a new form, so that its age and its nonce can be trusted when it is sent. @param now epoch milliseconds */
export const newStamp = (secret: string, now: number): string => {
  const signed = `${now.toString(36)}.${randomBytes(NONCE_BYTES).toString('base64url')}`;
  return `${signed}.${macOf(secret, signed).toString('base64url')}`;
};

/** The content of a stamp; undefined unless it was signed with this secret. */
export const readStamp = (secret: string, text: string): Stamp | undefined => {
  const found = STAMP.exec(text);
  if (!found) return undefined;
  const [, time, nonce, mac] = found as unknown as [string, string, string, string];
  const expected = macOf(secret, `${time}.${nonce}`);
  // The lengths are equal, because the same number of characters always has the same number of bytes.
  if (!timingSafeEqual(Buffer.from(mac, 'base64url'), expected)) return undefined;
  return { nonce, issuedAt: Number.parseInt(time, 36) };
};

/** The nonce that a stamp claims, signed or not: enough to look whether such a form was sent. */
export const claimedNonce = (text: string): string | undefined => STAMP.exec(text)?.[2];
