import { useRef, useState } from 'preact/hooks';
import type { Member } from '../../../../shared/schemas/member.ts';
import type { OrganizationWithStorage } from '../../../../shared/schemas/organization.ts';
import { send } from '../api.ts';
import { type Edited, type FieldText, useEdited } from '../edited.ts';
import {
  countries,
  fill,
  languageText,
  locales,
  sizeText,
  timeText,
  timeZones,
  weekdayText,
} from '../formats.ts';
import { showLogo, showName } from '../frame.ts';
import { type Loaded, useLoaded, useWork } from '../hooks.ts';
import { page, t } from '../page.ts';
import { Conflict } from '../ui/conflict.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { FailureNotice } from '../ui/failure.tsx';
import { CheckField, problemOf, RadioField, SelectField, TextField } from '../ui/fields.tsx';
import { Button, Skeleton } from '../ui/parts.tsx';
import { say } from '../ui/said.tsx';

const PATH = '/organization';

/** Bytes of a logo, as the operation declares them. */
const MAX_LOGO = 2 * 1024 * 1024;

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
type Weekday = (typeof WEEKDAYS)[number];

const weekdayOptions = WEEKDAYS.map((day, position) => [day, weekdayText(position)] as const);

const DATE_FORMATS = ['yyyy-MM-dd', 'dd/MM/yyyy', 'MM/dd/yyyy', 'dd.MM.yyyy'] as const;

/** What the setting for the second person means, in one word each. */
const FOUR_EYES = { people: null, all: true, nobody: false } as const;

const toFields = (organization: OrganizationWithStorage) => {
  const {
    four_eyes_verification: fourEyes,
    reply_to_email,
    region,
    max_key_days: days,
    ...others
  } = organization;
  return {
    name: others.name,
    reply_to_email: reply_to_email ?? '',
    timezone: others.timezone,
    locale: others.locale,
    region: region ?? '',
    date_format: others.date_format as string,
    time_format: others.time_format as string,
    week_starts_on: others.week_starts_on as string,
    weekend_days: others.weekend_days,
    client_layer_enabled: others.client_layer_enabled,
    max_key_days: days === null ? '' : String(days),
    four_eyes: fourEyes === null ? 'people' : fourEyes ? 'all' : 'nobody',
  };
};
type Fields = ReturnType<typeof toFields>;

const toBody = ({
  four_eyes,
  reply_to_email,
  region,
  max_key_days: days,
  ...others
}: Partial<Fields>): object => ({
  ...others,
  // Other text is refused by the service, and the refusal is shown at the field.
  ...(days !== undefined && { max_key_days: days === '' ? null : /^\d+$/.test(days) ? Number(days) : days }),
  ...(reply_to_email !== undefined && { reply_to_email: reply_to_email.trim() || null }),
  ...(region !== undefined && { region: region || null }),
  ...(four_eyes && { four_eyes_verification: FOUR_EYES[four_eyes as keyof typeof FOUR_EYES] }),
});

const daysText = (days: unknown): string =>
  WEEKDAYS.flatMap((day, position) =>
    (days as Weekday[]).includes(day) ? [weekdayText(position)] : [],
  ).join(', ');

const FOUR_EYES_OPTIONS = [
  ['people', t.org.fourEyesPeople],
  ['all', t.org.fourEyesAll],
  ['nobody', t.common.no],
] as const;

const labelIn =
  (options: readonly (readonly [string, string])[]) =>
  (value: unknown): string =>
    options.find(([option]) => option === value)?.[1] ?? String(value);

/** How the settings and their values are called, also in the audit log. */
export const SETTINGS: Record<keyof Fields, FieldText<Fields>> = {
  name: { label: t.common.name },
  reply_to_email: { label: t.org.replyTo },
  timezone: { label: t.org.timezone },
  locale: { label: t.org.locale, show: (tag) => languageText(String(tag)) },
  region: { label: t.org.region, show: labelIn(countries('')) },
  date_format: { label: t.org.dateFormat },
  time_format: { label: t.org.timeFormat },
  week_starts_on: { label: t.org.weekStart, show: labelIn(weekdayOptions) },
  weekend_days: { label: t.org.weekend, show: daysText },
  client_layer_enabled: { label: t.org.clients, show: (is) => (is ? t.common.yes : t.common.no) },
  max_key_days: { label: t.org.maxKeyDays },
  four_eyes: { label: t.org.fourEyes, show: labelIn(FOUR_EYES_OPTIONS) },
};

interface SettingsProps {
  form: Edited<Fields>;
  isReplyToWaiting: boolean;
}

const General = ({ form: { value, change, work }, isReplyToWaiting }: SettingsProps) => (
  <div class="part">
    <h2>{t.org.general}</h2>
    <TextField
      label={t.common.name}
      value={value.name}
      most={200}
      wrong={problemOf(work.failure, 'name')}
      onChange={(name) => change({ name })}
    />
    <TextField
      label={t.org.replyTo}
      help={isReplyToWaiting ? t.org.replyToWaiting : t.org.replyToHelp}
      isOptional
      type="email"
      value={value.reply_to_email}
      wrong={problemOf(work.failure, 'reply_to_email')}
      onChange={(reply_to_email) => change({ reply_to_email })}
    />
    <div class="pair">
      <SelectField
        label={t.org.locale}
        value={value.locale}
        options={locales(value.locale)}
        wrong={problemOf(work.failure, 'locale')}
        onChange={(locale) => change({ locale })}
      />
      <SelectField
        label={t.org.region}
        value={value.region}
        options={[['', '–'], ...countries(value.region)]}
        wrong={problemOf(work.failure, 'region')}
        onChange={(region) => change({ region })}
      />
    </div>
  </div>
);

const Formats = ({ form: { value, change, work } }: SettingsProps) => (
  <div class="part">
    <h2>{t.org.formats}</h2>
    <SelectField
      label={t.org.timezone}
      value={value.timezone}
      options={timeZones(value.timezone)}
      wrong={problemOf(work.failure, 'timezone')}
      onChange={(timezone) => change({ timezone })}
    />
    <div class="pair">
      <SelectField
        label={t.org.dateFormat}
        value={value.date_format}
        options={DATE_FORMATS.map((format) => [format, format])}
        onChange={(date_format) => change({ date_format })}
      />
      <SelectField
        label={t.org.timeFormat}
        value={value.time_format}
        options={[
          ['24h', t.org.h24],
          ['12h', t.org.h12],
        ]}
        onChange={(time_format) => change({ time_format })}
      />
    </div>
    <SelectField
      label={t.org.weekStart}
      value={value.week_starts_on}
      options={weekdayOptions}
      onChange={(week_starts_on) => change({ week_starts_on })}
    />
    <fieldset class="many">
      <legend>{t.org.weekend}</legend>
      {weekdayOptions.map(([day, label]) => (
        <CheckField
          key={day}
          label={label}
          isChecked={value.weekend_days.includes(day)}
          onChange={(is) =>
            change({
              weekend_days: WEEKDAYS.filter((each) =>
                each === day ? is : value.weekend_days.includes(each),
              ),
            })
          }
        />
      ))}
    </fieldset>
  </div>
);

const Rules = ({ form: { value, change, work } }: SettingsProps) => (
  <div class="part">
    <h2>{t.org.rules}</h2>
    <div class="field">
      <CheckField
        label={t.org.clients}
        isChecked={value.client_layer_enabled}
        onChange={(client_layer_enabled) => change({ client_layer_enabled })}
      />
    </div>
    <RadioField
      legend={t.org.fourEyes}
      value={value.four_eyes}
      options={FOUR_EYES_OPTIONS}
      help={t.org.fourEyesHelp}
      onChange={(four_eyes) => change({ four_eyes })}
    />
    <TextField
      label={t.org.maxKeyDays}
      help={t.org.maxKeyDaysHelp}
      isOptional
      value={value.max_key_days}
      wrong={problemOf(work.failure, 'max_key_days')}
      onChange={(text) => change({ max_key_days: text.trim() })}
    />
  </div>
);

interface OrganizationProps {
  organization: Loaded<OrganizationWithStorage>;
  current: OrganizationWithStorage;
}

const Settings = ({ organization, current }: OrganizationProps) => {
  const form = useEdited<OrganizationWithStorage, Fields>({
    name: 'organization',
    path: PATH,
    loaded: organization,
    current,
    toFields,
    toBody,
    texts: SETTINGS,
    onSaved: () => {
      say(t.common.saved);
      void organization.reload();
    },
  });
  const isReplyToWaiting = current.reply_to_email !== null && !current.reply_to_confirmed;
  const part = { form, isReplyToWaiting };
  return (
    <form
      class="fields"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void form.save().then((isSaved) => isSaved && showName(form.value.name));
      }}
    >
      <FailureNotice
        failure={form.work.failure}
        fields={['name', 'reply_to_email', 'locale', 'region', 'timezone']}
      />
      {form.differences && (
        <Conflict differences={form.differences} onMine={() => void form.save()} onTheirs={form.drop} />
      )}
      <General {...part} />
      <Formats {...part} />
      <Rules {...part} />
      <div class="bar">
        <Button kind="first" isSubmit isBusy={form.work.isBusy}>
          {t.common.save}
        </Button>
        {form.isChanged && <Button onClick={form.drop}>{t.common.cancel}</Button>}
      </div>
    </form>
  );
};

const HANDOVER = `${PATH}/handover`;

/** Who owns the organization, and how it gets another owner: the owner names an admin, who accepts. */
const Owner = ({ organization, current, admins }: OrganizationProps & { admins: readonly Member[] }) => {
  const { handover, owner_user_id, name } = current;
  const work = useWork();
  const others = admins.filter(({ user_id }) => user_id !== owner_user_id);
  const [chosen, setChosen] = useState('');
  const [isAsked, setIsAsked] = useState(false);
  const nameOf = (userId: string) => admins.find(({ user_id }) => user_id === userId)?.name ?? '–';
  const [isOwner, isNamed] = [owner_user_id, handover?.user_id].map((id) => id === page.userId);
  const step = (what: string, body?: object) =>
    void work.run(async () => {
      await send('POST', `${HANDOVER}${what}`, body && { body });
      setIsAsked(false);
      setChosen('');
      say(t.common.saved);
      await organization.reload();
    });
  const date = handover ? timeText(handover.expires_at) : '';
  return (
    <div class="part fields">
      <h2>{t.org.owner}</h2>
      <p class="help">{t.org.ownerHelp}</p>
      {!isAsked && <FailureNotice failure={work.failure} fields={['user_id']} />}
      <p>
        <bdi>{nameOf(owner_user_id)}</bdi>
      </p>
      {handover && (
        <p>
          {isNamed
            ? fill(t.org.asked, { date })
            : fill(t.org.pending, { name: nameOf(handover.user_id), date })}
        </p>
      )}
      {handover && isNamed && (
        <div class="bar">
          <Button
            kind="first"
            onClick={() => {
              work.forget();
              setIsAsked(true);
            }}
          >
            {t.org.accept}
          </Button>
          <Button isBusy={work.isBusy && !isAsked} onClick={() => step('/decline')}>
            {t.common.decline}
          </Button>
        </div>
      )}
      {handover && isOwner && (
        <div class="bar">
          <Button isBusy={work.isBusy} onClick={() => step('/withdraw')}>
            {t.common.withdraw}
          </Button>
        </div>
      )}
      {!handover && isOwner && others.length > 0 && (
        <>
          <SelectField
            label={t.org.nextOwner}
            help={t.org.handOverHelp}
            value={chosen}
            options={[
              ['', '–'],
              ...others.map(({ user_id, name, email }) => [user_id, `${name} (${email})`] as const),
            ]}
            wrong={problemOf(work.failure, 'user_id') && t.common.required}
            onChange={setChosen}
          />
          <div class="bar">
            <Button isBusy={work.isBusy} onClick={() => step('', { user_id: chosen })}>
              {t.org.handOver}
            </Button>
          </div>
        </>
      )}
      {isAsked && (
        <Confirm
          title={fill(t.org.acceptTitle, { organization: name })}
          text={t.org.acceptText}
          action={t.org.accept}
          isHarmless
          work={work}
          onConfirm={() => step('/accept')}
          onClose={() => setIsAsked(false)}
        />
      )}
    </div>
  );
};

const Logo = ({ organization, current }: OrganizationProps) => {
  const input = useRef<HTMLInputElement>(null);
  const work = useWork();
  const [isAsked, setIsAsked] = useState(false);
  const [isTooLarge, setIsTooLarge] = useState(false);
  const refresh = async (done: string) => {
    say(done);
    await organization.reload();
  };
  const upload = (file: File | undefined) => {
    if (!file) return;
    setIsTooLarge(file.size > MAX_LOGO);
    if (file.size > MAX_LOGO) return;
    void work.run(async () => {
      const form = new FormData();
      form.set('file', file);
      const { logo_url } = await send<OrganizationWithStorage>('POST', `${PATH}/logo`, { form });
      showLogo(logo_url);
      await refresh(t.org.logoSaved);
    });
  };
  const remove = () =>
    work.run(async () => {
      await send('DELETE', `${PATH}/logo`);
      setIsAsked(false);
      showLogo(null);
      await refresh(t.org.logoDeleted);
    });
  const size = sizeText(MAX_LOGO);
  return (
    <div class="part fields">
      <h2>{t.org.logo}</h2>
      <p class="help">{fill(t.org.logoHelp, { size })}</p>
      {!isAsked && <FailureNotice failure={work.failure} />}
      {isTooLarge && (
        <div class="notice bad" role="alert">
          <p>{fill(t.org.tooLarge, { size })}</p>
        </div>
      )}
      {current.logo_url ? (
        <img class="logo" src={current.logo_url} alt={t.org.logo} />
      ) : (
        <p>{t.org.logoNone}</p>
      )}
      <input
        ref={input}
        type="file"
        hidden
        accept="image/png,image/jpeg,image/webp"
        onChange={({ currentTarget }) => upload(currentTarget.files?.[0])}
      />
      <div class="bar">
        <Button
          isBusy={work.isBusy && !isAsked}
          onClick={() => {
            input.current!.value = '';
            input.current!.click();
          }}
        >
          {current.logo_url ? t.org.replace : t.org.upload}
        </Button>
        {current.logo_url && (
          <Button
            kind="plain danger"
            onClick={() => {
              work.forget();
              setIsAsked(true);
            }}
          >
            {t.org.deleteLogo}
          </Button>
        )}
      </div>
      {isAsked && (
        <Confirm
          title={t.org.deleteLogoTitle}
          text={t.org.deleteLogoText}
          action={t.org.deleteLogo}
          work={work}
          onConfirm={() => void remove()}
          onClose={() => setIsAsked(false)}
        />
      )}
    </div>
  );
};

const Storage = ({ storage: { used_bytes, max_bytes } }: Pick<OrganizationWithStorage, 'storage'>) => (
  <div class="part fields">
    <h2 id="storage">{t.org.storage}</h2>
    <meter aria-labelledby="storage" min={0} max={max_bytes} value={used_bytes} high={max_bytes * 0.9} />
    <p class="help">{fill(t.org.storageUsed, { size: sizeText(used_bytes), most: sizeText(max_bytes) })}</p>
  </div>
);

/** The settings of the organization, its logo and what it stores. */
export const OrganizationTab = () => {
  const organization = useLoaded<OrganizationWithStorage>(PATH);
  const admins = useLoaded<Member[]>('/members?role=admin&status=active');
  const failure = organization.failure ?? admins.failure;
  const current = organization.value;
  return (
    <>
      <FailureNotice
        failure={failure}
        onRetry={() => {
          void organization.reload();
          void admins.reload();
        }}
      />
      {current && admins.value ? (
        <>
          <Settings organization={organization} current={current} />
          <Owner organization={organization} current={current} admins={admins.value} />
          <Logo organization={organization} current={current} />
          <Storage storage={current.storage} />
        </>
      ) : (
        !failure && <Skeleton />
      )}
    </>
  );
};
