import type { ComponentChildren } from 'preact';
import type { FindingSummary } from '../../../../shared/schemas/numbers.ts';
import { dateText, percentText } from '../formats.ts';
import { useLoaded } from '../hooks.ts';
import { t, words } from '../page.ts';

type Filters = Readonly<Record<string, string>>;

/** A question by its name, which its template knows. */
const Question = ({ id, family }: { id: string; family: string }) => {
  const search = new URLSearchParams({ group_by: 'field', template_family_id: family, field_id: id });
  const { value } = useLoaded<FindingSummary>(`/v1/findings/summary?${search.toString()}`);
  return <bdi>{value?.groups.find(({ by }) => by.field?.id === id)?.by.field?.name ?? id}</bdi>;
};

interface Limit {
  label: string;
  show: (value: string, filters: Filters) => ComponentChildren;
}

const day = (value: string) => dateText(value);

/** Times end before the first moment that is left out. */
const lastDay = (value: string) => dateText(new Date(Date.parse(value) - 1).toISOString());

/** The filters that only links set, and how a list shows them. */
const LIMITS: Readonly<Record<string, Limit>> = {
  completed_after: { label: `${words.completed}, ${t.audit.from}`, show: day },
  completed_before: { label: `${words.completed}, ${t.audit.to}`, show: lastDay },
  created_after: { label: `${t.common.created}, ${t.audit.from}`, show: day },
  created_before: { label: `${t.common.created}, ${t.audit.to}`, show: lastDay },
  score_min: { label: words.score, show: (value) => `≥ ${percentText(Number(value))}` },
  field_id: {
    label: words.question,
    show: (id, { template_family_id }) =>
      template_family_id ? <Question id={id} family={template_family_id} /> : <bdi>{id}</bdi>,
  },
};

/** The limits that the address of a list sets. @param names those that the list takes */
export const Limits = ({
  names = [],
  filters,
}: {
  names: readonly string[] | undefined;
  filters: Filters;
}) => (
  <>
    {names.map((name) => {
      const value = filters[name];
      return (
        value && (
          <p key={name}>
            {LIMITS[name]!.label}: {LIMITS[name]!.show(value, filters)}
          </p>
        )
      );
    })}
  </>
);
