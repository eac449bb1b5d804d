/**
 * The texts of pages, of the mail that leads to one and of the card. `{organization}` is a name, `{address}` an email
 * address, `{n}` a number, `{size}` a size such as "10 MB".
 */
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
  issue: {
    language: 'Language',
    changeLanguage: 'Change language',
    optional: 'optional',
    description: 'What happened?',
    descriptionHelp: 'Say what you have seen, and where.',
    choose: 'Please choose',
    yes: 'Yes',
    no: 'No',
    photos: 'Photos',
    photosHelp: 'At most {n}. Where and when a photo was taken is removed from it.',
    addPhotos: 'Add photos',
    contact: 'Your contact details',
    contactHelp: '{organization} can then ask you, or tell you what was done.',
    contactRequired: 'Enter an email address or a phone number, so that {organization} can reach you.',
    name: 'Name',
    email: 'Email address',
    phone: 'Phone number',
    consent: '{organization} receives what you enter here, and uses it to deal with your report.',
    robot: 'Leave this field empty',
    send: 'Send report',
    thanks: {
      title: 'Thank you for your report',
      text: '{organization} has received it. Its number is {n}.',
      another: 'Report something else',
    },
    problems: {
      title: 'Something is missing or wrong',
      required: 'Please answer this question.',
      description: 'Please say what happened.',
      long: 'Please use at most {n} characters.',
      number: 'Please enter a number.',
      date: 'Please enter a date.',
      email: 'Please enter an address such as name@example.com.',
      contact: 'Please enter an email address or a phone number.',
      photo: 'Photo {n} could not be read, and was removed. Please add it again as a JPEG, PNG or WebP file.',
      photos: 'Please add at most {n} photos.',
      again: 'Please check your report, and send it once more.',
      storage: 'The photos cannot be stored at the moment. You can send the report without them.',
    },
    upload: {
      title: 'Add photos to your report',
      notSent: 'Your report is not sent yet.',
      added: 'Photos added: {n}',
      belongsTo: 'The photo shows',
      general: 'What happened',
      choose: 'Choose a photo: JPEG, PNG or WebP, at most {size}',
      add: 'Add this photo',
    },
    script: {
      photo: 'Photo {n}',
      sendingPhoto: 'Photo {n} is being sent',
      sentPhoto: 'Photo {n} is ready',
      failed: 'Photo {n} could not be sent.',
      unreadable: 'This file cannot be read as a photo: {name}',
      tooMany: 'You can add at most {n} photos.',
      again: 'Try again',
      remove: 'Remove photo {n}',
      sending: 'Your report is being sent …',
      saved:
        'There is no connection. Your report is saved on this device, and is sent as soon as there is one. You can also open this page again later.',
      later: 'The report cannot be sent at the moment. It is saved on this device. Try again later.',
      discard: 'Delete the saved report',
    },
  },
  /** The page of a corrective action, for its contact outside the organization. */
  action: {
    asked: '{organization} asks you to do this, and to say here when it is done.',
    found: 'What was found',
    returned: 'It was sent back to you',
    progress: 'Photos of the finished work so far: {n}',
    note: 'What was done?',
    needsPhoto: 'At least one photo of the finished work is needed.',
    finish: 'Continue',
    send: 'Send, but it is not finished yet',
    consent: '{organization} receives what you enter here.',
    done: 'Report as done',
    problems: {
      evidence: 'Please add a photo that shows the finished work.',
      empty: 'Please add a photo, or say what was done.',
    },
    sent: {
      title: 'Thank you',
      text: '{organization} has received what you have sent.',
      back: 'Back to the task',
    },
    reported: {
      title: 'This is reported as done',
      text: '{organization} checks it. If something is missing, you get another email.',
    },
    closed: { title: 'This task is closed', text: 'There is nothing more for you to do here.' },
  },
  card: {
    title: 'Report a problem',
    text: 'Scan the code with the camera of your phone. You need no app and no account.',
    address: 'Or open this address:',
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
