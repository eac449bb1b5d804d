import { fill } from '../formats.ts';
import { page, t } from '../page.ts';
import { CheckField, RadioField } from '../ui/fields.tsx';

/** The types of events, by what stands before the first dot. */
const GROUPS = [...new Set(page.eventTypes.map((type) => type.split('.')[0]!))].map(
  (group) => [group, page.eventTypes.filter((type) => type.startsWith(`${group}.`)) as string[]] as const,
);

interface TypesProps {
  /** `*`, or groups such as `inspection.*` and single types. */
  value: readonly string[];
  wrong: string | undefined;
  onChange: (types: string[]) => void;
}

interface GroupProps extends Omit<TypesProps, 'wrong'> {
  group: string;
  types: readonly string[];
}

const Group = ({ group, types, value, onChange }: GroupProps) => {
  const whole = `${group}.*`;
  const isWhole = value.includes(whole);
  const others = value.filter((type) => type !== whole && !types.includes(type));
  const own = types.filter((type) => value.includes(type));
  return (
    <>
      <CheckField
        label={whole}
        isChecked={isWhole}
        onChange={(is) => onChange(is ? [...others, whole] : others)}
      />
      {!isWhole && types.length > 1 && (
        <details open={own.length > 0}>
          <summary>{fill(t.webhooks.singleTypes, { name: group })}</summary>
          {types.map((type) => (
            <CheckField
              key={type}
              label={type}
              isChecked={own.includes(type)}
              onChange={(is) =>
                onChange([...others, ...types.filter((each) => (each === type ? is : own.includes(each)))])
              }
            />
          ))}
        </details>
      )}
    </>
  );
};

/** Which events an endpoint gets. */
export const TypesField = ({ value, wrong, onChange }: TypesProps) => {
  const isAll = value.includes('*');
  return (
    <>
      <RadioField
        legend={t.webhooks.types}
        value={isAll ? 'all' : 'some'}
        options={[
          ['all', t.webhooks.allTypes],
          ['some', t.webhooks.someTypes],
        ]}
        onChange={(which) => onChange(which === 'all' ? ['*'] : [])}
      />
      {wrong && (
        <span class="wrong" role="alert">
          {wrong}
        </span>
      )}
      {!isAll && (
        <fieldset class="groups">
          <legend class="away">{t.webhooks.someTypes}</legend>
          {GROUPS.map(([group, types]) => (
            <Group key={group} group={group} types={types} value={value} onChange={onChange} />
          ))}
        </fieldset>
      )}
    </>
  );
};
