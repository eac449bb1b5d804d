import type { ComponentChildren } from 'preact';
import { type AdminPlace, tabOf } from '../../../../shared/pages/admin-data.ts';
import { t } from '../page.ts';
import { addressOfPlace } from '../route.ts';

/** A name and a value. */
export type Fact = readonly [string, ComponentChildren];

/** What is known of an object; null leaves a fact out. */
export const Facts = ({ facts }: { facts: readonly (Fact | null)[] }) => (
  <dl class="facts">
    {facts.map((fact) => {
      if (!fact) return null;
      const [label, value] = fact;
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
  const tab = tabOf(place);
  return (
    <p class="back">
      <a href={addressOfPlace(tab)}>{t.tabs[tab].name}</a>
    </p>
  );
};
