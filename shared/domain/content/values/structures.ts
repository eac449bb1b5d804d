import { isBlank } from '../../../base/text.ts';
import { also, type Member, object, text, type TypeRules, uuid, written } from './checks.ts';
import { number } from './numbers.ts';
import { datetime } from './times.ts';

/** Characters of a name, an external id, or a line of an address. */
const MAX_LINE_LENGTH = 200;

/** Characters of the label of a reference. */
const MAX_LABEL_LENGTH = 500;

const signature = also(
  object({
    document_id: { check: uuid, absent: null },
    typed: { check: text(MAX_LINE_LENGTH, 1), absent: null },
    signed_name: { check: text(MAX_LINE_LENGTH, 1) },
    signed_at: { check: datetime, absent: null },
  }),
  ({ document_id, typed }: { document_id: unknown; typed: unknown }) =>
    (document_id === null) === (typed === null)
      ? 'a signature needs either document_id or typed, and not both'
      : undefined,
);

export const SIGNATURE: TypeRules = {
  check: () => signature,
  references: ({ document_id }: { document_id: string | null }) =>
    document_id === null ? {} : { document_ids: [document_id] },
  display: ({ signed_name }: { signed_name: string }) => signed_name,
};

const geoPoint = object({
  lat: { check: number({ min: -90, max: 90, step: null }) },
  lng: { check: number({ min: -180, max: 180, step: null }) },
  accuracy_m: { check: number({ min: 0, max: null, step: null }), absent: null },
});

export const GEO_POINT: TypeRules = {
  check: () => geoPoint,
  display: ({ lat, lng, accuracy_m }: { lat: number; lng: number; accuracy_m: number | null }) =>
    `${lat}, ${lng}${accuracy_m === null ? '' : ` (±${accuracy_m} m)`}`,
};

const line: Member = { check: text(MAX_LINE_LENGTH), absent: '' };

const country = written(
  (input) => (/^[a-z]{2}$/i.test(input) ? input.toUpperCase() : input === '' ? '' : undefined),
  'string_pattern_mismatch',
  'Input should be an ISO 3166-1 alpha-2 code',
);

const address = also(
  object({
    line1: line,
    line2: line,
    city: line,
    region: line,
    postal_code: line,
    country: { check: country, absent: '' },
  }),
  (value: Record<string, string>) =>
    Object.values(value).every((part) => isBlank(part))
      ? 'an address needs at least one part that is not blank'
      : undefined,
);

export const ADDRESS: TypeRules = { check: () => address };

const reference = object({
  source_id: { check: uuid },
  external_id: { check: text(MAX_LINE_LENGTH, 1) },
  label: { check: text(MAX_LABEL_LENGTH), absent: '' },
});

export const REFERENCE: TypeRules = {
  check: () => reference,
  references: ({ source_id, external_id }: { source_id: string; external_id: string }, field) => {
    // A template is published only if every reference field has a target.
    const { target_ref } = field.reference!;
    return { synced_items: [{ source_id, external_id, target_ref }] };
  },
  display: ({ label, external_id }: { label: string; external_id: string }) => label || external_id,
};
