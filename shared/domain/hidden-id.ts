import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';

/*
 * The addresses and forms of a page that strangers read name something of the organization by a hidden id. It is the id,
 * which is exactly one block of AES, encrypted with the secret of the page's link. So nothing is stored for it, nobody
 * tells the id from it, and it means nothing on the page of another link.
 */

const BLOCK_CIPHER = 'aes-128-ecb';
const KEY_BYTES = 16;

/** What a hidden id looks like: 128 bits in base64url. */
export const HIDDEN_ID = /^[\w-]{22}$/;

const keyOf = (secret: string): Buffer =>
  createHash('sha256').update(`ids\n${secret}`).digest().subarray(0, KEY_BYTES);

/** @param id a UUID. @param secret of the link by which the page is read */
export const hideId = (secret: string, id: string): string =>
  createCipheriv(BLOCK_CIPHER, keyOf(secret), null)
    .setAutoPadding(false)
    .update(Buffer.from(id.replaceAll('-', ''), 'hex'))
    .toString('base64url');

/** The id that was hidden with this secret; with another one, an id of nothing. @param text of the form of a hidden id */
export const shownId = (secret: string, text: string): string =>
  createDecipheriv(BLOCK_CIPHER, keyOf(secret), null)
    .setAutoPadding(false)
    .update(Buffer.from(text, 'base64url'))
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
