/** Corrective actions: what has to be done about a finding, by whom, and what was done. */
export { attach, detach, listAttachments } from './attachments.ts';
export { openContactLink, type OpenedAction, photosBefore, takeContactForm } from './contact-form.ts';
export { locationName, noteOpened, sendContactLink } from './contact-link.ts';
export { create } from './create.ts';
export { comment, listActivity } from './history.ts';
export { get, list, mine } from './lists.ts';
export { reopen, verify } from './steps.ts';
export { update } from './update.ts';
