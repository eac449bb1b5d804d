import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type ContentIndex, optionsOf } from '../../../../shared/domain/content/content-index.ts';
import type {
  Condition,
  Field,
  Section,
  ResponseOption,
  Scoring,
} from '../../../../shared/schemas/templates/content.ts';
import { fill, listText, numberText, percentText } from '../formats.ts';
import { t, words } from '../page.ts';
import { Button, Chip } from '../ui/parts.tsx';
import { answerText, conditionText, failText, type Wording, withLabels } from './condition-text.ts';

const x = t.template;

const WORDING: Wording = {
  texts: x,
  yes: t.common.yes,
  no: t.common.no,
  number: numberText,
  list: listText,
};

/** Rows that are drawn at first, where there are many. */
const FEW = 30;

/** The first of many rows, and a button that shows more of them. */
export const Many = <Row,>({
  rows,
  draw,
  few = FEW,
}: {
  rows: readonly Row[];
  draw: (row: Row) => ComponentChildren;
  few?: number;
}) => {
  const [count, setCount] = useState(few);
  return (
    <>
      <ul class="plain-list">
        {rows.slice(0, count).map((row, position) => (
          <li key={position}>{draw(row)}</li>
        ))}
      </ul>
      {rows.length > count && (
        <p>
          <Button onClick={() => setCount(count + 10 * few)}>{t.common.more}</Button>
        </p>
      )}
    </>
  );
};

/** A choice with its colour, what it scores and what it means. */
export const Option = ({ option }: { option: ResponseOption }) => (
  <>
    {option.color && <i class="swatch" style={{ background: option.color }} aria-hidden="true" />}
    <bdi>{option.label}</bdi> {option.is_failed && <Chip mood="bad">{words.failed}</Chip>}{' '}
    {option.is_na && <Chip mood="">{words.notApplicable}</Chip>}{' '}
    {option.finding_severity && <Chip mood="">{words.severities[option.finding_severity]}</Chip>}{' '}
    {option.score !== null && (
      <span class="more">
        {words.points}: {numberText(option.score)}
      </span>
    )}
  </>
);

/** In which content an attribute is read, and of which question it is. */
interface Where {
  index: ContentIndex;
  id: string;
}

interface Attribute<Value = never> {
  label: string;
  show: (value: Value, where: Where) => ComponentChildren;
}

const attribute = <Value,>(label: string, show: Attribute<Value>['show']): Attribute<Value> => ({
  label,
  show,
});

const yesNo = (label: string) => attribute<boolean>(label, (is) => (is ? t.common.yes : t.common.no));
const text = (label: string) =>
  attribute<string>(label, (value, { index }) => <bdi>{withLabels(value, index)}</bdi>);
const number = (label: string) => attribute<number>(label, numberText);
const percentage = (label: string) => attribute<number>(label, percentText);
const code = (label: string) =>
  attribute<string>(label, (value, { index }) => <code dir="ltr">{withLabels(value, index)}</code>);
const condition = (label: string) =>
  attribute<Condition>(label, (value, { index }) => conditionText(WORDING, index, value));
const sectionOf = attribute<string>(words.section, (id, { index }) => (
  <bdi>{index.sections.get(id)?.section.title ?? id}</bdi>
));

/** Answers by their names in the API, and `failed`. */
const triggersText = (triggers: readonly string[], { index, id }: Where): string => {
  const question = index.fields.get(id)?.field;
  const texts = triggers.map((trigger) => {
    if (trigger === 'failed') return words.failed;
    if (trigger === 'true') return t.common.yes;
    if (trigger === 'false') return t.common.no;
    return answerText(WORDING, index, question, trigger);
  });
  return listText(texts, 'disjunction');
};

const rangeText = (min: number, max: number): string =>
  fill(x.range, { from: numberText(min), to: numberText(max) });

const mediaText = (rule: NonNullable<Field['media']>, where: Where): string => {
  const kinds = rule.kinds?.map((kind) => x.types[kind]) ?? [];
  return [
    rangeText(rule.min, rule.max),
    ...(kinds.length > 0 ? [listText(kinds, 'disjunction')] : []),
    ...(rule.required_on.length > 0 ? [`${words.required}: ${triggersText(rule.required_on, where)}`] : []),
  ].join(' · ');
};

const Finding = ({ rule, index }: { rule: NonNullable<Field['finding']>; index: ContentIndex }) => {
  const { create, severity, label, corrective_action: action } = rule;
  return (
    <>
      <Chip mood="">{x.findings[create]}</Chip> <Chip mood="">{words.severities[severity]}</Chip>
      {label && <bdi class="item">{withLabels(label, index)}</bdi>}
      {action && (
        <span class="item">
          {words.action}: <bdi>{withLabels(action.title, index)}</bdi> {words.priorities[action.priority]}
        </span>
      )}
    </>
  );
};

const TARGETS: Readonly<Record<NonNullable<Field['reference']>['target_ref'], string>> = {
  locations: t.tabs.locations.name,
  members: t.tabs.members.name,
  client_accounts: t.tabs.clients.name,
  response_sets: x.options,
};

const repeatText = ({ min, max }: NonNullable<Section['repeat']>): string => rangeText(min, max);

/** How the attributes of a content are called and shown, by their names in the API. */
const ATTRIBUTES: Readonly<Record<string, Attribute>> = {
  label: text(words.question),
  title: text(words.workbook.title),
  name: code(x.name),
  type: attribute<Field['type']>(words.workbook.type, (type) => x.types[type]),
  section_id: sectionOf,
  parent_id: sectionOf,
  help_text: text(x.help),
  description: text(words.description),
  required: yesNo(words.required),
  visible_if: condition(x.askedWhen),
  required_if: condition(x.requiredWhen),
  options: attribute<ResponseOption[]>(x.options, (options) => (
    <Many rows={options} draw={(option) => <Option option={option} />} />
  )),
  response_set_id: attribute<string>(x.options, (id, { index }) => (
    <bdi>{index.responseSets.get(id)?.name ?? id}</bdi>
  )),
  min: number(x.minimum),
  max: number(words.workbook.maximum),
  step: number(x.step),
  unit: text(words.workbook.unit),
  pattern: code(x.pattern),
  max_length: number(x.maxLength),
  default_value: attribute<unknown>(x.suggested, (value, { index, id }) => (
    <bdi>{answerText(WORDING, index, index.fields.get(id)?.field ?? index.startFields.get(id), value)}</bdi>
  )),
  fail_if: attribute<NonNullable<Field['fail_if']>>(x.failsWhen, (rule, { index, id }) =>
    failText(WORDING, index, id, rule),
  ),
  finding: attribute<NonNullable<Field['finding']>>(words.concerns, (rule, { index }) => (
    <Finding rule={rule} index={index} />
  )),
  media: attribute<NonNullable<Field['media']>>(words.workbook.files, mediaText),
  note_required_on: attribute<string[]>(x.noteWhen, triggersText),
  reference: attribute<NonNullable<Field['reference']>>(x.offers, ({ target_ref }) => TARGETS[target_ref]),
  formula: code(x.formula),
  constraint: code(x.constraint),
  choice_filter: code(x.choiceFilter),
  constraint_message: text(x.message),
  required_message: text(x.message),
  weight: number(x.weight),
  max_score: number(x.maxScore),
  critical: yesNo(words.critical),
  allow_na: yesNo(words.notApplicable),
  report: attribute<Field['report']>(x.inReports, ({ visible }) => (visible ? t.common.yes : t.common.no)),
  repeat: attribute<NonNullable<Section['repeat']>>(x.repeats, repeatText),
  hold: yesNo(x.hold),
  participant_role: code(words.participants),
  passing_score: percentage(words.workbook.passingScore),
  language: text(t.org.locale),
  translations: attribute<string[]>(x.translations, (languages) => listText(languages, 'conjunction')),
  'scoring.enabled': yesNo(words.score),
  'scoring.method': attribute<Scoring['method']>(x.method, (method) => x.methods[method]),
  'scoring.passing_score': percentage(words.workbook.passingScore),
};

/** What an attribute is called; as in the API where people have no word for it. */
export const attributeName = (name: string): ComponentChildren =>
  ATTRIBUTES[name]?.label ?? <code dir="ltr">{name}</code>;

const isNone = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** The value of an attribute as people read it; a dash for none. */
export const AttributeValue = ({ name, value, ...where }: Where & { name: string; value: unknown }) => {
  if (isNone(value)) return <>–</>;
  const known = ATTRIBUTES[name];
  if (known) return <>{known.show(value as never, where)}</>;
  return <code dir="ltr">{typeof value === 'string' ? value : JSON.stringify(value)}</code>;
};

/** What a question or section has unless it says otherwise. */
const USUAL: Readonly<Record<string, unknown>> = { weight: 1, allow_na: false, hold: false };

const isUsual = (name: string, value: unknown): boolean => {
  if (isNone(value) || USUAL[name] === value) return true;
  return name === 'report' && (value as Field['report']).visible;
};

/** The attributes of a part of a content that are set, in the order above. @param apart what is shown elsewhere */
export const Attributes = ({ part, apart, ...where }: Where & { part: object; apart: readonly string[] }) => {
  const question = where.index.fields.get(where.id)?.field ?? where.index.startFields.get(where.id);
  // A question shows the options that it has, be they its own or those of a response set.
  const options = question === part ? optionsOf(where.index, question) : [];
  const values: Record<string, unknown> = { ...part, options, response_set_id: null };
  const shown = Object.keys(ATTRIBUTES).filter(
    (name) => !apart.includes(name) && !isUsual(name, values[name]),
  );
  if (shown.length === 0) return null;
  return (
    <dl class="facts">
      {shown.map((name) => (
        <div key={name}>
          <dt>{attributeName(name)}</dt>
          <dd>
            <AttributeValue {...where} name={name} value={values[name]} />
          </dd>
        </div>
      ))}
    </dl>
  );
};
