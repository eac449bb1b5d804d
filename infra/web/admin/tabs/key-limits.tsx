import type { Failure } from '../api.ts';
import { page, t } from '../page.ts';
import { problemOf, RadioField, SelectField, TextField } from '../ui/fields.tsx';

/** What limits a key, as the form holds it. */
export interface KeyLimits {
  /** Null for everything. */
  scopes: string[] | null;
  /** Separated by commas. */
  networks: string;
}

export const NO_LIMITS: KeyLimits = { scopes: null, networks: '' };

/** The limits in the body of a request. */
export const limitsBody = ({ scopes, networks }: KeyLimits) => {
  const listed = networks.split(/[\s,;]+/).filter(Boolean);
  return { scopes, networks: listed.length > 0 ? listed : null };
};

export const LIMIT_FIELDS = ['scopes', 'networks'];

interface AreaProps {
  area: string;
  scopes: readonly string[];
  mayWrite: boolean;
  onChange: (scopes: string[]) => void;
}

const Area = ({ area, scopes, mayWrite, onChange }: AreaProps) => {
  const others = scopes.filter((scope) => scope.split(':')[0] !== area);
  const own = scopes.includes(`${area}:write`) ? 'write' : scopes.includes(`${area}:read`) ? 'read' : '';
  return (
    <SelectField
      label={`/${area}`}
      value={own}
      options={[
        ['', t.keys.noAccess],
        ['read', t.keys.read_only],
        ...(mayWrite ? ([['write', t.keys.read_write]] as const) : []),
      ]}
      onChange={(chosen) => onChange(chosen ? [...others, `${area}:${chosen}`] : others)}
    />
  );
};

interface LimitsProps {
  value: KeyLimits;
  mayWrite: boolean;
  failure: Failure | undefined;
  onChange: (changes: Partial<KeyLimits>) => void;
}

/** What a key may do, and from where. */
export const LimitsFields = ({ value: { scopes, networks }, mayWrite, failure, onChange }: LimitsProps) => {
  const wrong = problemOf(failure, 'scopes');
  return (
    <>
      <RadioField
        legend={t.keys.scopes}
        help={t.keys.scopesHelp}
        value={scopes ? 'some' : 'all'}
        options={[
          ['all', t.keys.allAreas],
          ['some', t.keys.someAreas],
        ]}
        onChange={(which) => onChange({ scopes: which === 'all' ? null : [] })}
      />
      {wrong && (
        <span class="wrong" role="alert">
          {wrong}
        </span>
      )}
      {scopes && (
        <fieldset class="groups">
          <legend class="away">{t.keys.someAreas}</legend>
          {page.keyAreas.map((area) => (
            <Area
              key={area}
              area={area}
              scopes={scopes}
              mayWrite={mayWrite}
              onChange={(chosen) => onChange({ scopes: chosen })}
            />
          ))}
        </fieldset>
      )}
      <TextField
        label={t.keys.networks}
        help={t.keys.networksHelp}
        isOptional
        isLeftToRight
        value={networks}
        wrong={problemOf(failure, 'networks')}
        onChange={(text) => onChange({ networks: text })}
      />
    </>
  );
};
