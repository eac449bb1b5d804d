import type { ComponentChildren } from 'preact';
import { type AdminPlace, headingOf } from '../../../../shared/http/pages/admin-data.ts';
import { page, t } from '../page.ts';
import { addressOfPlace } from '../route.ts';

/** A name and a value. */
export type Fact = readonly [string, ComponentChildren];

const isNone = (value: ComponentChildren): boolean => Array.isArray(value) && value.length === 0;

/** A fact that is left out where there is none. */
export const fact = (label: string, value: ComponentChildren): Fact | null =>
  value === null || value === undefined || value === '' || value === false || isNone(value)
    ? null
    : [label, value];

/** What is known of an object; null leaves a fact out. */
export const Facts = ({ facts }: { facts: readonly (Fact | null)[] }) => (
  <dl class="facts">
    {facts.map((each) => {
      if (!each) return null;
      const [label, value] = each;
      return (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      );
    })}
  </dl>
);

/** Leads back to the list that an object stands in. */
export const Back = ({ place }: { place: AdminPlace }) => {
  const { name } = headingOf(t, place, page.organization!.role);
  return (
    <p class="back">
      <a href={addressOfPlace(place)}>{name}</a>
    </p>
  );
};
