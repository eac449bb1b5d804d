import type { AdminPlace } from '../../../../../shared/http/pages/admin-data.ts';
import { t } from '../../page.ts';
import { addressOfPlace } from '../../route.ts';
import { CHOICES } from './filters.tsx';

/** On the page of what numbers are filtered by: a link to its numbers. */
export const NumbersLink = ({ place, id }: { place: AdminPlace; id: string }) => {
  const [name] = Object.entries(CHOICES).find(([, choice]) => choice.place === place) ?? [];
  return name ? (
    <p class="bar">
      <a href={addressOfPlace('numbers', undefined, { [name]: id })}>{t.tabs.numbers.name}</a>
    </p>
  ) : null;
};
