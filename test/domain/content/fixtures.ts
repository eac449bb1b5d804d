import { uuid } from '../../support/content.ts';

export const option = (value: string, more: object = {}) => ({ value, label: value, ...more });

/** A medium of an answer. */
export const document = (n: number, caption = '') => ({ document_id: uuid(n), caption });
