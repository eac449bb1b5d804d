import type { Vendor } from '../vendor.ts';
import { API_VERSION } from './documents.ts';
import { MondaySession } from './session.ts';
import { fieldValue } from './values.ts';

/** How long a call waits for a limit to end unless the caller says otherwise, in seconds. */
const DEFAULT_WAIT = 10;

export const monday: Vendor = {
  id: 'monday',
  name: 'monday.com',
  auth: {
    kind: 'api_token',
    help_url: 'https://support.monday.com/hc/en-us/articles/360005144659-Does-monday-com-have-an-API',
    fields: [
      {
        key: 'api_token',
        label: 'API token',
        help: 'In monday.com, open your avatar, Developers, then My access tokens.',
        required: true,
      },
    ],
  },
  capabilities: ['sources', 'directory'],
  levels: ['item', 'subitem'],
  api_version: API_VERSION,
  // Of the plans Basic and Standard; the free one has 200.
  calls_per_day: 1_000,
  open: ({ api_token = '' }, { max_wait_seconds = DEFAULT_WAIT } = {}) =>
    new MondaySession(api_token, max_wait_seconds),
  fieldValue,
};
