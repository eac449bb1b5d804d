import type { BulkAction, BulkResource } from '../../../../../shared/schemas/bulk-change.ts';
import type { Member } from '../../../../../shared/schemas/member.ts';
import type { Failure } from '../../api.ts';
import { compareTexts, startOfDay } from '../../formats.ts';
import { useLoaded } from '../../hooks.ts';
import { t, words } from '../../page.ts';
import { FailureNotice } from '../../ui/failure.tsx';
import { CheckField, problemOf, SelectField, TextField } from '../../ui/fields.tsx';
import { PickField } from '../pick.tsx';

const x = t.bulk;

type Type = BulkAction['type'];

type Text =
  | 'to'
  | 'from'
  | 'day'
  | 'note'
  | 'reason'
  | 'add'
  | 'remove'
  | 'name'
  | 'email'
  | 'company'
  | 'phone';

/** What was entered for an action, by the names of its fields. What is left out was not touched. */
export type Entered = Partial<
  Record<Text, string> & { resolve_finding: boolean; location_id: string | null }
>;

const tagsIn = (text = ''): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);

const MINUTE = 60_000;

/** The last minute of a day, in the reader's zone. */
const endOfDay = (day: string): string => new Date(Date.parse(startOfDay(day, 1)) - MINUTE).toISOString();

const orNull = (text = ''): string | null => text.trim() || null;

const noteIn = ({ note = '' }: Entered): string => note.trim();

/** The action as the request says it, from what was entered. */
const BODIES: { [Of in Type]: (entered: Entered) => object } = {
  reassign: ({ to, from }) => ({ to: orNull(to), ...(from && { from }) }),
  set_due: ({ day }) => ({ due_at: day ? endOfDay(day) : null }),
  verify: (entered) => ({ note: noteIn(entered), resolve_finding: entered.resolve_finding ?? false }),
  archive: ({ reason = '' }) => (reason.trim() ? { reason: reason.trim() } : {}),
  tag: ({ add, remove }) => ({ add: tagsIn(add), remove: tagsIn(remove) }),
  move: ({ location_id = null }) => ({ location_id }),
  set_contact: ({ name, email, company, phone }) => {
    const contact = {
      name: orNull(name),
      email: orNull(email),
      company: orNull(company),
      phone: orNull(phone),
    };
    return { contact: Object.values(contact).some((each) => each !== null) ? contact : null };
  },
  cancel: (entered) => ({ note: noteIn(entered) }),
};

export const actionOf = (type: Type, entered: Entered): object => ({ type, ...BODIES[type](entered) });

/** What has to be entered for an action, and is not yet. */
export const isMissing = (type: Type, { location_id, add, remove }: Entered): boolean =>
  (type === 'move' && location_id === undefined) ||
  (type === 'tag' && tagsIn(add).length + tagsIn(remove).length === 0);

interface FieldsProps {
  resource: BulkResource;
  type: Type;
  entered: Entered;
  /** Whether it was sent although something is missing. */
  isAsked: boolean;
  failure: Failure | undefined;
  onChange: (entered: Entered) => void;
}

const Reassigned = ({ entered, onChange }: Pick<FieldsProps, 'entered' | 'onChange'>) => {
  const members = useLoaded<Member[]>('/members');
  const people = (members.value ?? [])
    .filter(({ role }) => role !== 'api')
    .toSorted((one, other) => compareTexts(one.name, other.name));
  const active = people.filter(({ status }) => status === 'active');
  const optionOf = ({ user_id, name }: Member): [string, string] => [user_id, name];
  return (
    <>
      <FailureNotice failure={members.failure} onRetry={() => void members.reload()} />
      <SelectField
        label={words.assignee}
        value={entered.to ?? ''}
        options={[['', words.unassigned], ...active.map(optionOf)]}
        onChange={(to) => onChange({ ...entered, to })}
      />
      <SelectField
        label={x.from}
        help={x.fromHelp}
        value={entered.from ?? ''}
        options={[['', t.common.all], ...people.map(optionOf)]}
        onChange={(from) => onChange({ ...entered, from })}
      />
    </>
  );
};

/** The fields of an action: what its declaration takes. */
export const ActionFields = ({ resource, type, entered, isAsked, failure, onChange }: FieldsProps) => {
  const wrongOf = (...field: string[]) => problemOf(failure, 'action', ...field);
  const text = (name: Text, label: string, more: Partial<Parameters<typeof TextField>[0]> = {}) => (
    <TextField
      label={label}
      isOptional
      value={entered[name] ?? ''}
      wrong={wrongOf(name)}
      onChange={(value) => onChange({ ...entered, [name]: value })}
      {...more}
    />
  );
  const missing = isAsked && isMissing(type, entered) ? t.common.required : undefined;
  if (type === 'reassign') return <Reassigned entered={entered} onChange={onChange} />;
  if (type === 'set_due')
    return text('day', words.due, {
      type: 'date',
      help: x.dueHelp,
      isOptional: false,
      wrong: wrongOf('due_at'),
    });
  if (type === 'archive') return resource === 'assets' ? text('reason', words.reason, { most: 2_000 }) : null;
  if (type === 'tag')
    return (
      <>
        {text('add', x.addTags, { help: x.tagsHelp, wrong: missing ?? wrongOf('add') })}
        {text('remove', x.removeTags, { help: x.tagsHelp })}
      </>
    );
  if (type === 'move')
    return (
      <PickField
        legend={words.location}
        place="locations"
        none={x.none}
        value={entered.location_id}
        wrong={missing ?? wrongOf('location_id')}
        onChange={(location_id) => onChange({ ...entered, location_id })}
      />
    );
  if (type === 'set_contact')
    return (
      <>
        <p class="help">{x.contactHelp}</p>
        {text('name', t.common.name, { most: 200, wrong: wrongOf('contact', 'name') })}
        {text('email', t.members.email, {
          type: 'email',
          isLeftToRight: true,
          wrong: wrongOf('contact', 'email'),
        })}
        {text('company', x.company, { most: 200, wrong: wrongOf('contact', 'company') })}
        {text('phone', t.members.phone, {
          type: 'tel',
          isLeftToRight: true,
          wrong: wrongOf('contact', 'phone'),
        })}
      </>
    );
  return (
    <>
      {(type === 'verify' || resource === 'issues') && text('note', words.note, { most: 2_000 })}
      {type === 'verify' && (
        <CheckField
          label={x.resolveFinding}
          isChecked={entered.resolve_finding ?? false}
          onChange={(resolve_finding) => onChange({ ...entered, resolve_finding })}
        />
      )}
    </>
  );
};
