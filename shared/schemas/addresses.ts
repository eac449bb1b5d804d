import * as z from 'zod';

/** An email address of at most 320 characters (64 + 1 + 255: RFC 5321, section 4.5.3.1). */
export const Email = z.email().max(320);

export const SignedUrl = z
  .url()
  .meta({ description: 'A signed URL, valid for 15 minutes; every read returns a new one.' });
