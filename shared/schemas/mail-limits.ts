/** Mails of an organization to its members, in one UTC day. */
export const MAX_MEMBER_MAILS_PER_DAY = 2_000;

/** The same to addresses that are no member's, whom nobody has asked whether they want them. */
export const MAX_OTHER_MAILS_PER_DAY = 200;
