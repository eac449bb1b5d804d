import { useEffect, useState } from 'preact/hooks';
import { monthAfter, monthsFrom } from '../../../../../shared/domain/numbers/months.ts';
import type { AdminPlace } from '../../../../../shared/http/pages/admin-data.ts';
import { read } from '../../api.ts';
import { byLabel, fill, monthText, numberText } from '../../formats.ts';
import { t, words } from '../../page.ts';
import { keepInAddress } from '../../route.ts';
import { SelectField } from '../../ui/fields.tsx';
import { Button } from '../../ui/parts.tsx';
import { titleOf } from '../links.tsx';
import { pathOf } from '../paths.ts';
import { MOST_MONTHS, type Period } from './arithmetic.ts';

/** The filters that all numbers and the lists behind them take, and the kind of object that each names. */
export const CHOICES = {
  client_account_id: { place: 'clients', label: words.client },
  template_family_id: { place: 'templates', label: words.template },
  region_id: { place: 'regions', label: t.explore.region },
  within: { place: 'locations', label: words.location },
} as const satisfies Record<string, { place: AdminPlace; label: string }>;

export type Chosen = Partial<Record<keyof typeof CHOICES, string>>;

const NAMES = Object.keys(CHOICES) as (keyof typeof CHOICES)[];

/** What the address chooses. */
export const chosenIn = (query: URLSearchParams): Chosen =>
  Object.fromEntries(NAMES.flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : [])));

/** Objects that are offered at most: a page of their list. */
const MOST_OFFERED = 200;

/** The objects to choose from; the chosen one is among them. */
const readOffered = async (place: AdminPlace, chosen: string | undefined): Promise<{ id: string }[]> => {
  const all = await read<{ id: string }[]>(`${pathOf(place)}?limit=${MOST_OFFERED}`).catch(() => []);
  if (!chosen || all.some(({ id }) => id === chosen)) return all;
  return [...all, await read<{ id: string }>(pathOf(place, chosen)).catch(() => ({ id: chosen }))];
};

interface ChoiceProps {
  name: keyof typeof CHOICES;
  chosen: string | undefined;
  onChange: (id: string) => void;
}

const Choice = ({ name, chosen, onChange }: ChoiceProps) => {
  const { place, label } = CHOICES[name];
  const [offered, setOffered] = useState<{ id: string }[]>(chosen ? [{ id: chosen }] : []);
  useEffect(() => void readOffered(place, chosen).then(setOffered), [place, chosen]);
  return (
    <SelectField
      label={label}
      value={chosen ?? ''}
      help={
        offered.length < MOST_OFFERED ? undefined : fill(t.numbers.offered, { n: numberText(MOST_OFFERED) })
      }
      options={[
        ['', t.common.all],
        ...byLabel(offered.map((each): [string, string] => [each.id, titleOf(each) || each.id])),
      ]}
      onChange={onChange}
    />
  );
};

interface FiltersProps {
  period: Period;
  present: string;
  query: URLSearchParams;
}

/** The months and what else the numbers are asked for with. All of it is kept in the address. */
export const Filters = ({ period, present, query }: FiltersProps) => {
  const chosen = chosenIn(query);
  const [isOpen, setIsOpen] = useState(Object.keys(chosen).length > 0);
  const change = (changed: Record<string, string>) =>
    keepInAddress({ ...Object.fromEntries(query), ...changed });
  const option = (month: string) => [month, monthText({ from: month, to: month })] as const;
  const last = period.to > present ? period.to : present;
  const firsts = monthsFrom(monthAfter(period.to, 1 - MOST_MONTHS), period.to);
  const lasts = monthsFrom(period.from, last).slice(0, MOST_MONTHS);
  return (
    <>
      <div class="filters">
        <SelectField
          label={t.audit.from}
          value={period.from}
          options={firsts.map(option).toReversed()}
          onChange={(from) => change({ from, to: period.to })}
        />
        <SelectField
          label={t.audit.to}
          value={period.to}
          options={lasts.map(option).toReversed()}
          onChange={(to) => change({ from: period.from, to })}
        />
      </div>
      <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>{t.numbers.filters}</summary>
        {isOpen && (
          <div class="filters">
            {NAMES.map((name) => (
              <Choice
                key={name}
                name={name}
                chosen={chosen[name]}
                onChange={(id) => change({ [name]: id })}
              />
            ))}
          </div>
        )}
      </details>
      {[...query].length > 0 && (
        <p class="bar">
          <Button kind="plain" onClick={() => keepInAddress({})}>
            {t.audit.clear}
          </Button>
        </p>
      )}
    </>
  );
};
