/** The texts of pages and of the mail that leads to one. `{organization}` is a name, `{address}` an email address. */
export const en = {
  errors: {
    notFound: {
      title: 'This link does not work',
      text: 'It may be incomplete, it may have expired, or it was withdrawn. Ask the person who sent it to you for a new one.',
    },
    tooMany: { title: 'Too many requests', text: 'This page was requested too often. Try again later.' },
    unreadable: {
      title: 'The form could not be read',
      text: 'Go back to the page, load it again, and send the form once more.',
    },
    unavailable: {
      title: 'Something went wrong',
      text: 'The page cannot be shown at the moment. Try again in a few minutes.',
    },
  },
  confirm: {
    title: 'Do you want emails from {organization}?',
    text: '{organization} wants to send notifications about inspections to {address}. You decide.',
    yes: 'Yes, send me emails',
    no: 'No, do not send me emails',
    confirmed: {
      title: 'You will get emails from {organization}',
      text: 'Thank you. Every email has a link to stop them.',
    },
    refused: {
      title: 'You will get no emails from {organization}',
      text: 'Your answer is saved. Nothing will be sent to {address}.',
    },
  },
  stop: {
    title: 'Stop emails from {organization}?',
    text: 'Nothing more will be sent to {address}: no notifications and no reports.',
    button: 'Stop all emails',
    stopped: {
      title: 'You will get no more emails from {organization}',
      text: 'Nothing more will be sent to {address}. An email that is already on its way may still arrive.',
    },
  },
  share: {
    title: 'Inspection report',
    number: 'Inspection',
    name: 'Name',
    date: 'Date of the report',
    pages: 'Pages',
    size: 'Size',
    until: 'This link works until',
    open: 'Open the report',
    download: 'Download the report',
    draft: 'This is a draft: the inspection was not completed when the report was made.',
    notReady: {
      title: 'The report is not ready yet',
      text: 'It is being prepared. Load this page again in a minute.',
    },
  },
  question: {
    subject: '{organization} wants to send you emails',
    text: '{organization} wants to send notifications about inspections to this address. Do you want them? Open this page and choose yes or no:',
    answer: 'Answer',
    ignore: 'If you do nothing, you get no emails from {organization}. This link works for 7 days.',
  },
  signIn: {
    again: 'Sign in again',
    failed: {
      title: 'The sign-in could not be completed',
      text: 'It may have taken too long, or it was begun in another browser. Start again.',
    },
    noMembership: {
      title: 'You are not a member of any organization',
      text: 'You have signed in, but no organization has added your email address. Ask an admin of your organization for an invitation.',
    },
    notYours: {
      title: 'This invitation is for somebody else',
      text: 'It was sent to another email address than the one that you signed in with, or it has ended. Sign in with that address, or ask for a new invitation.',
    },
  },
  invitation: {
    subject: '{organization} invites you',
    text: '{organization} invites you to work on inspections together. Sign in with this email address to accept the invitation:',
    accept: 'Accept the invitation',
    hint: 'The invitation works once, and for 7 days.',
    ignore: 'If you do not know {organization}, ignore this email. Nothing happens then.',
  },
};

/** A language has exactly the texts of English. */
export type PageTexts = typeof en;
