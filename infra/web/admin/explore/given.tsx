import type { ComponentChildren } from 'preact';
import type { AdminPlace } from '../../../../shared/http/pages/admin-data.ts';
import type { FormerAnswer } from '../../../../shared/schemas/inspections/answer.ts';
import type {
  Content,
  Field,
  ResponseOption,
  StartField,
} from '../../../../shared/schemas/templates/content.ts';
import { clockText, dayText, fill, numberText, timeText } from '../formats.ts';
import { words } from '../page.ts';
import { Chip, Time } from '../ui/parts.tsx';
import { LinkTo, Person, usePeople, useTitle } from './links.tsx';
import { Pictures } from './pictures.tsx';

/** A question of a section, or of the start. */
export type Question = Field | StartField;

/** What stands in a record, now or at an earlier time. */
export type Given = Pick<FormerAnswer, 'value' | 'is_na' | 'note'> & Partial<Pick<FormerAnswer, 'media'>>;

/** Whether something is given. */
export const isGiven = ({ value, is_na }: Pick<Given, 'value' | 'is_na'>): boolean => {
  if (is_na) return true;
  if (value === null || value === undefined) return false;
  if (typeof value === 'string') return value.trim() !== '';
  return typeof value !== 'object' || Object.keys(value).length > 0;
};

/** The words for the options of questions that bring no options of their own. */
const STANDARD: Readonly<Record<string, string>> = {
  yes: words.yes,
  no: words.no,
  pass: words.pass,
  fail: words.fail,
  na: words.notApplicable,
};

/** The highest rating of a question that names none. */
const BEST = 5;

/** What chooses, by the values of its options. */
const CHOICES: ReadonlySet<string> = new Set(['yes_no_na', 'pass_fail_na', 'single_select', 'multi_select']);

/** What is answered by files. */
const MEDIA: ReadonlySet<string> = new Set(['photo', 'video', 'audio', 'file', 'drawing']);

const optionsOf = (content: Content, { options, response_set_id: set }: Question): ResponseOption[] =>
  options ?? content.response_sets.find(({ id }) => id === set)?.options ?? [];

const Choice = ({ content, question, value }: { content: Content; question: Question; value: unknown }) => {
  const options = optionsOf(content, question);
  const chosen = (Array.isArray(value) ? value : [value]).map(String);
  return (
    <bdi>
      {chosen
        .map((each) => options.find((option) => option.value === each)?.label ?? STANDARD[each] ?? each)
        .join(', ')}
    </bdi>
  );
};

interface Signed {
  signed_name: string;
  signed_at?: string | null;
  document_id?: string | null;
  typed?: string | null;
}

const Signature = ({ signed_name, signed_at, document_id, typed }: Signed) => (
  <>
    {document_id && <Pictures media={[{ document_id, caption: '' }]} name={signed_name} />}
    {typed && typed !== signed_name && <bdi class="item">{typed}</bdi>}
    <bdi>{signed_name}</bdi>
    {signed_at && <span class="sub">{fill(words.signedOn, { when: timeText(signed_at) })}</span>}
  </>
);

const Address = ({ value }: { value: Record<string, string | null> }) => (
  <>
    {['line1', 'line2', 'postal_code', 'city', 'region', 'country'].map(
      (part) =>
        value[part] && (
          <bdi class="item" key={part}>
            {value[part]}
          </bdi>
        ),
    )}
  </>
);

const numberWithUnit = ({ type, unit, max }: Question, value: number): string => {
  if (type === 'rating') return fill(words.of, { value: numberText(value), max: numberText(max ?? BEST) });
  return unit ? `${numberText(value)} ${unit}` : numberText(value);
};

const positionText = ({
  lat,
  lng,
  accuracy_m: m,
}: {
  lat: number;
  lng: number;
  accuracy_m?: number | null;
}) => `${lat}, ${lng}${m === null || m === undefined ? '' : ` (±${numberText(m)} m)`}`;

/** How the values of some types are shown. */
const TYPES: Partial<Record<Question['type'], (value: never) => ComponentChildren>> = {
  date: (day: string) => dayText(day),
  time: (time: string) => clockText(time),
  datetime: (at: string) => <Time at={at} />,
  signature: (value: Signed) => <Signature {...value} />,
  geo_point: (value: { lat: number; lng: number; accuracy_m?: number | null }) => (
    <bdi dir="ltr">{positionText(value)}</bdi>
  ),
  address: (value: Record<string, string | null>) => <Address value={value} />,
  member: (id: string) => <Person id={id} />,
  client_account: (id: string) => <LinkTo place="clients" id={id} />,
  location: (id: string) => <LinkTo place="locations" id={id} />,
  reference: ({ label }: { label: string }) => <bdi>{label}</bdi>,
};

interface ValueProps {
  content: Content;
  question: Question;
  value: unknown;
}

/** The value of an answer, as people read it. */
export const Value = ({ content, question, value }: ValueProps) => {
  const show = TYPES[question.type];
  if (show) return <>{show(value as never)}</>;
  if (MEDIA.has(question.type))
    return <Pictures media={value as { document_id: string; caption: string }[]} />;
  if (CHOICES.has(question.type)) return <Choice content={content} question={question} value={value} />;
  if (typeof value === 'boolean') return <>{value ? words.yes : words.no}</>;
  if (typeof value === 'number') return <bdi>{numberWithUnit(question, value)}</bdi>;
  return <bdi class="written">{String(value)}</bdi>;
};

interface GivenProps {
  content: Content;
  question: Question;
  given: Given;
}

/** An answer: its value, or that it is not applicable, or not there. */
export const GivenAnswer = ({ content, question, given }: GivenProps) => {
  if (given.is_na) return <Chip mood="">{words.notApplicable}</Chip>;
  if (!isGiven(given)) return <span class="soft">{words.notAnswered}</span>;
  return <Value content={content} question={question} value={given.value} />;
};

const TitleAt = ({ place, id }: { place: AdminPlace; id: string }) => <bdi>{useTitle(place, id) ?? id}</bdi>;

const NameOf = ({ id }: { id: string }) => <bdi>{usePeople().get(id)?.name ?? id}</bdi>;

/** How the values of some types are named; the others as they are shown. */
const NAMES: Partial<Record<Question['type'], (value: never) => ComponentChildren>> = {
  member: (id: string) => <NameOf id={id} />,
  client_account: (id: string) => <TitleAt place="clients" id={id} />,
  location: (id: string) => <TitleAt place="locations" id={id} />,
  signature: ({ signed_name }: Signed) => <bdi>{signed_name}</bdi>,
};

/** The value of an answer as a name without links and pictures. */
export const ValueName = ({ content, question, value }: ValueProps) => {
  if (MEDIA.has(question.type)) return null;
  const show = NAMES[question.type];
  return show ? <>{show(value as never)}</> : <Value content={content} question={question} value={value} />;
};
