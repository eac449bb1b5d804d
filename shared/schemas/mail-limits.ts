/** Mails of an organization to its members, in one UTC day. */
export const MAX_MEMBER_MAILS_PER_DAY = 2_000;

/** The same to addresses that are no member's, whom nobody has asked whether they want them. */
export const MAX_OTHER_MAILS_PER_DAY = 200;

/** Recipients of an organization's reports, in one UTC day. A mail to 50 people counts 50 times. */
export const MAX_REPORT_RECIPIENTS_PER_DAY = 500;
