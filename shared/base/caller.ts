/**
 * On whose behalf something is read or written. Every repository function takes it first and gets the
 * organization from nowhere else, so no id from a request can reach another organization's rows.
 */
export interface Caller {
  org_id: string;
  /** A key's service identity, listed in members with the role `api`. */
  user_id: string;
  name: string;
}

/** A caller that authenticated with an API key. */
export interface KeyCaller extends Caller {
  key_id: string;
  access: 'read_write' | 'read_only';
}

/** The service itself, in an organization: what time alone leads to is nobody's change. */
export const serviceOf = (org_id: string): Caller => ({ org_id, user_id: '', name: 'service' });
