import { useEffect, useId, useState } from 'preact/hooks';
import type { AdminPlace } from '../../../../shared/http/pages/admin-data.ts';
import { useLoaded } from '../hooks.ts';
import { t } from '../page.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { TextField } from '../ui/fields.tsx';
import { titleOf } from './links.tsx';
import { pathOf } from './paths.ts';

/** What is offered to choose from at a time. */
const OFFERED = 8;

/** How long after the last letter is looked for what was entered, in milliseconds. */
const PAUSE = 250;

/** An object to choose. */
interface Option {
  id: string;
  name: string;
  address?: string | null;
  external_ref?: string | null;
  /** What is around it. */
  path?: { name: string }[];
}

const aboutOf = ({ path = [], address, external_ref }: Option): string =>
  [path.map(({ name }) => name).join(' / '), address, external_ref].filter(Boolean).join(' · ');

interface PickProps {
  legend: string;
  place: AdminPlace;
  /** What the chosen one is not. */
  except?: string;
  /** The word for none, where none can be chosen. */
  none?: string;
  /** Null for none, undefined for nothing yet. */
  value: string | null | undefined;
  onChange: (id: string | null, name: string) => void;
  wrong?: string | undefined;
}

/** An object that is looked for by its name. The chosen one stays among those that are offered. */
export const PickField = ({ legend, place, except, none, value, onChange, wrong }: PickProps) => {
  const id = useId();
  const [text, setText] = useState('');
  const [sought, setSought] = useState('');
  const [chosen, setChosen] = useState<Option>();
  useEffect(() => {
    const timer = setTimeout(() => setSought(text.trim()), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  const query = new URLSearchParams({ limit: String(OFFERED), ...(sought && { q: sought }) });
  const found = useLoaded<Option[]>(`${pathOf(place)}?${query.toString()}`);
  const others = (found.value ?? []).filter((option) => option.id !== except && option.id !== chosen?.id);
  const offered = [...(chosen && value ? [chosen] : []), ...others];
  const choose = (option: Option | undefined) => {
    setChosen(option);
    onChange(option?.id ?? null, option?.name ?? none ?? '');
  };
  return (
    <fieldset aria-describedby={wrong && `${id}-wrong`}>
      <legend>{legend}</legend>
      {wrong && (
        <span class="wrong" id={`${id}-wrong`}>
          {wrong}
        </span>
      )}
      <TextField label={t.explore.search} value={text} most={200} onChange={setText} />
      <FailureNotice failure={found.failure} onRetry={() => void found.reload()} />
      {none !== undefined && (
        <label class="choice">
          <input
            type="radio"
            name={id}
            checked={value === null}
            aria-invalid={wrong ? true : undefined}
            onChange={() => choose(undefined)}
          />
          <span>{none}</span>
        </label>
      )}
      {offered.map((option) => (
        <label class="choice" key={option.id}>
          <input
            type="radio"
            name={id}
            checked={value === option.id}
            aria-invalid={wrong ? true : undefined}
            onChange={() => choose(option)}
          />
          <span>
            <bdi>{titleOf(option)}</bdi>
            {aboutOf(option) && (
              <span class="sub">
                <bdi>{aboutOf(option)}</bdi>
              </span>
            )}
          </span>
        </label>
      ))}
      <p class="help" role="status">
        {found.value && others.length === 0 && !chosen ? t.audit.empty : ''}
      </p>
    </fieldset>
  );
};
