import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Failure } from '../api.ts';
import { t } from '../page.ts';
import { problemText } from './words.ts';

/** The problem that the service has found with a field, if any. @param field the path in the body */
export const problemOf = (failure: Failure | undefined, ...field: string[]): string | undefined => {
  const path = ['body', ...field].join('.');
  const found = failure?.problems.find(({ loc }) => loc.join('.').startsWith(path));
  return found && problemText(found);
};

interface FieldProps {
  label: string;
  help?: string | undefined;
  wrong?: string | undefined;
  isOptional?: boolean;
}

interface Described {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

/** A label, what helps to fill it in, what is wrong, and the control itself. */
const Field = ({
  label,
  help,
  wrong,
  isOptional,
  children,
}: FieldProps & { children: (control: Described) => ComponentChildren }) => {
  const id = useId();
  const described = [help && `${id}-help`, wrong && `${id}-wrong`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label class="label" for={id}>
        {label} {isOptional && <span class="more">({t.common.optional})</span>}
      </label>
      {help && (
        <span class="help" id={`${id}-help`}>
          {help}
        </span>
      )}
      {wrong && (
        <span class="wrong" id={`${id}-wrong`}>
          {wrong}
        </span>
      )}
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': wrong ? true : undefined })}
    </div>
  );
};

interface TextProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  type?: 'text' | 'email' | 'tel' | 'url' | 'password' | 'datetime-local' | 'date';
  most?: number;
  autoComplete?: string;
  isLeftToRight?: boolean;
}

export const TextField = ({
  value,
  onChange,
  type = 'text',
  most,
  autoComplete = 'off',
  isLeftToRight,
  ...field
}: TextProps) => (
  <Field {...field}>
    {(control) => (
      <input
        {...control}
        // The types of Preact know each kind of input by itself, but not that all of these have the same attributes.
        // oxlint-disable-next-line typescript/no-unnecessary-type-assertion
        type={type as 'text'}
        value={value}
        maxLength={most}
        autoComplete={autoComplete}
        dir={isLeftToRight ? 'ltr' : 'auto'}
        spellcheck={false}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    )}
  </Field>
);

interface SelectProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  /** Values with their labels. */
  options: readonly (readonly [string, string])[];
}

export const SelectField = ({ value, onChange, options, ...field }: SelectProps) => (
  <Field {...field}>
    {(control) => (
      <select
        {...control}
        value={value}
        autoComplete="off"
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {options.map(([option, label]) => (
          <option key={option} value={option} selected={option === value}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Field>
);

interface CheckProps {
  label: string;
  help?: string;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
}

export const CheckField = ({ label, help, isChecked, onChange }: CheckProps) => (
  <label class="choice">
    <input
      type="checkbox"
      checked={isChecked}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    <span>
      <bdi>{label}</bdi>
      {help && <span class="sub">{help}</span>}
    </span>
  </label>
);

interface RadioProps {
  legend: string;
  help?: string;
  value: string;
  onChange: (value: string) => void;
  /** Values with their labels, and what they mean. */
  options: readonly (readonly [string, string, string?])[];
}

export const RadioField = ({ legend, help, value, onChange, options }: RadioProps) => {
  const id = useId();
  return (
    <fieldset aria-describedby={help && `${id}-help`}>
      <legend>{legend}</legend>
      {help && (
        <span class="help" id={`${id}-help`}>
          {help}
        </span>
      )}
      {options.map(([option, label, help]) => (
        <label class="choice" key={option}>
          <input type="radio" name={id} checked={option === value} onChange={() => onChange(option)} />
          <span>
            {label}
            {help && <span class="sub">{help}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
};
