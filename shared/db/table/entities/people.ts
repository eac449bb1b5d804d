/* People: their sessions, and which members they are. These rows belong to no organization. */

/** A session of a signed-in person. The session's id is not stored; its hash is the partition key. */
export interface SessionRow {
  /** See `personOf`. */
  person: string;
  /** As the identity provider named the person when the session began. */
  name: string;
  email: string;
  /** Both are null until the person has chosen one of several organizations. */
  org_id: string | null;
  user_id: string | null;
  /** Signs the cursors of its lists. */
  cursor_secret: string;
  /** Epoch milliseconds. */
  created_at: number;
  /** Epoch milliseconds. The session has ended then, however much it is used. */
  ends_at: number;
  /** When it was last used, in epoch milliseconds; up to a minute late. */
  seen_at: number;
  /** Epoch seconds: when it ends unless it is used again. */
  ttl: number;
}

/** A person as a member of an organization. */
export interface Membership {
  org_id: string;
  user_id: string;
}

/** The member of an organization who has an email address. It is found before it is known who has signed in. */
export type EmailMember = Membership;

/** Who has signed in as a member, once somebody has. */
export interface MemberIdentity {
  /** The identity provider. After a change to another one, the member is found by the email address once more. */
  issuer: string;
  /** See `personOf`. */
  person: string;
}

/** An invitation that nobody has accepted yet. */
export interface Invitation {
  /** Stands in the link. A new mail has a new one, and the former link ends. */
  id: string;
  /** ISO 8601. */
  expires_at: string;
}
