import { defineError } from './define.ts';

/* A key that does not authenticate, or may not do this. */

export const apiKeyUnknown = defineError(
  401,
  'api_key_unknown',
  'The key is missing, malformed or unknown.',
  () => 'The API key is missing, malformed or unknown.',
);

export const apiKeyRevoked = defineError(
  401,
  'api_key_revoked',
  'The key was revoked.',
  () => 'The API key was revoked.',
);

export const apiKeyExpired = defineError(
  401,
  'api_key_expired',
  'The key has expired.',
  () => 'The API key has expired.',
);

export const apiKeyReadOnly = defineError(
  403,
  'api_key_read_only',
  'A read-only key was used for an operation that writes.',
  () => 'This API key is read only.',
);

export const keyActsForNobody = defineError(
  403,
  'key_acts_for_nobody',
  'The request has `On-Behalf-Of`, and the key was not created with the right to act for members.',
  () => 'This API key may not act for members: it was not created with that right.',
);

/** The same for an unknown user, one of another organization, one who is not active, and a key’s service identity. */
export const notOnBehalf = defineError(
  403,
  'not_on_behalf',
  'The header `On-Behalf-Of` does not name an active member of the organization who is a person.',
  () => 'On-Behalf-Of does not name an active member of this organization who is a person.',
);

/** Contract, "Authentication", rule 6. */
export const personRequired = defineError(
  403,
  'person_required',
  'The operation is for signed-in people; no API key can use it.',
  () => 'AI features are for signed-in people. An API key cannot use them.',
);

export const settingNotForKeys = defineError(
  403,
  'setting_not_for_keys',
  'The request changes a setting that grants rights. Only people and the operator may change it, not an API key.',
  (...settings: string[]) => `An API key may not change ${settings.join(', ')}.`,
);

/** In the contract's words: a key of the table outside the caller's organization was about to be used. */
export const rowLevelSecurity = defineError(
  403,
  'row_level_security',
  'The service refused to reach data of another organization.',
  () => 'forbidden by row-level security',
);
