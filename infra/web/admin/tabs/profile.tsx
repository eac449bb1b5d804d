import { useState } from 'preact/hooks';
import type { NotificationKind, Preferences } from '../../../../shared/schemas/preferences.ts';
import type { PersonProfile } from '../../../../shared/schemas/profile.ts';
import type { OwnOrganization } from '../../../../shared/schemas/session.ts';
import { send } from '../api.ts';
import { useDraft } from '../drafts.ts';
import { dateText, fill, languageText, locales, timeZones } from '../formats.ts';
import { type Loaded, useLoaded, useWork } from '../hooks.ts';
import { addressOf, page, t } from '../page.ts';
import { Confirm } from '../ui/dialog.tsx';
import { FailureNotice } from '../ui/failure.tsx';
import { CheckField, problemOf, SelectField, TextField } from '../ui/fields.tsx';
import { Button, Skeleton } from '../ui/parts.tsx';
import { say } from '../ui/said.tsx';
import { roleText } from './members.tsx';
import { Sessions } from './sessions.tsx';

const PATH = '/profile';

const KINDS = Object.entries(t.profile.kinds) as [NotificationKind, string][];

const OwnProfile = ({ current, profile }: { current: PersonProfile; profile: Loaded<PersonProfile> }) => {
  const original = {
    name: current.name,
    locale: current.own.locale ?? '',
    timezone: current.own.timezone ?? '',
  };
  const draft = useDraft('profile', original);
  const work = useWork();
  const value = { ...original, ...draft.changes };
  const save = () =>
    work.run(async () => {
      const { name, locale, timezone } = draft.changes;
      const body = {
        ...(name !== undefined && { name }),
        ...(locale !== undefined && { locale: locale || null }),
        ...(timezone !== undefined && { timezone: timezone || null }),
      };
      profile.set(await send<PersonProfile>('PATCH', PATH, { body }));
      draft.drop();
      // The page itself is in the language, and shows times in the zone.
      if (locale !== undefined || timezone !== undefined) location.reload();
      else say(t.common.saved);
    });
  const inherited = (own: string | null, shown: string): [string, string] => [
    '',
    own === null ? `${t.profile.asOrganization} (${shown})` : t.profile.asOrganization,
  ];
  return (
    <form
      class="fields part"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <FailureNotice failure={work.failure} fields={['name', 'locale', 'timezone']} />
      <TextField
        label={t.common.name}
        value={value.name}
        most={200}
        autoComplete="name"
        wrong={problemOf(work.failure, 'name')}
        onChange={(name) => draft.change({ name })}
      />
      <dl>
        <dt>{t.members.email}</dt>
        <dd>
          <bdi>{current.email}</bdi>
        </dd>
        <dt>{t.members.role}</dt>
        <dd>{roleText(current.role)}</dd>
      </dl>
      <div class="pair">
        <SelectField
          label={t.org.locale}
          value={value.locale}
          options={[inherited(current.own.locale, languageText(current.locale)), ...locales(value.locale)]}
          wrong={problemOf(work.failure, 'locale')}
          onChange={(locale) => draft.change({ locale })}
        />
        <SelectField
          label={t.org.timezone}
          value={value.timezone}
          options={[inherited(current.own.timezone, current.timezone), ...timeZones(value.timezone)]}
          wrong={problemOf(work.failure, 'timezone')}
          onChange={(timezone) => draft.change({ timezone })}
        />
      </div>
      <Button kind="first" isSubmit isBusy={work.isBusy}>
        {t.common.save}
      </Button>
    </form>
  );
};

const Notifications = ({ current, loaded }: { current: Preferences; loaded: Loaded<Preferences> }) => {
  const draft = useDraft('notifications', current.notifications);
  const work = useWork();
  const value = { ...current.notifications, ...draft.changes };
  const save = () =>
    work.run(async () => {
      const body = { notifications: draft.changes };
      loaded.set(await send<Preferences>('PATCH', '/preferences', { body }));
      draft.drop();
      say(t.common.saved);
    });
  return (
    <form
      class="fields part"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <FailureNotice failure={work.failure} />
      <fieldset>
        <legend>
          <h2>{t.profile.notifications}</h2>
        </legend>
        <p class="help">{t.profile.notificationsLead}</p>
        {KINDS.map(([kind, label]) => (
          <CheckField
            key={kind}
            label={label}
            isChecked={value[kind]}
            onChange={(is) => draft.change({ [kind]: is })}
          />
        ))}
      </fieldset>
      <Button kind="first" isSubmit isBusy={work.isBusy}>
        {t.common.save}
      </Button>
    </form>
  );
};

/** Whether keys may act for the person here, and the end of the membership. */
const Membership = () => {
  const { id, name: organization } = page.organization!;
  const path = `/me/organizations/${id}`;
  const loaded = useLoaded<OwnOrganization[]>('/organizations');
  const acting = useWork();
  const leaving = useWork();
  const [isAsked, setIsAsked] = useState(false);
  const own = loaded.value?.find((each) => each.id === id);
  if (!own) return <FailureNotice failure={loaded.failure} onRetry={() => void loaded.reload()} />;
  const since = own.acting_consented_at;
  const allow = () =>
    acting.run(async () => {
      await send('PATCH', path, { body: { allow_acting: since === null } });
      await loaded.reload();
      say(t.common.saved);
    });
  const leave = () =>
    leaving.run(async () => {
      await send('POST', `${path}/leave`);
      location.assign(addressOf('/admin'));
    });
  const title = fill(t.profile.leave, { organization });
  return (
    <>
      <div class="part fields">
        <h2>{t.profile.acting}</h2>
        <FailureNotice failure={acting.failure} />
        <p>
          {since === null
            ? fill(t.profile.actingNone, { organization })
            : fill(t.profile.actingSince, { organization, date: dateText(since) })}
        </p>
        <Button isBusy={acting.isBusy} onClick={() => void allow()}>
          {since === null ? t.profile.actingAllow : t.common.withdraw}
        </Button>
      </div>
      <div class="part fields">
        <Button
          kind="danger"
          onClick={() => {
            leaving.forget();
            setIsAsked(true);
          }}
        >
          {title}
        </Button>
      </div>
      {isAsked && (
        <Confirm
          title={title}
          text={t.profile.leaveText}
          action={title}
          work={leaving}
          onConfirm={() => void leave()}
          onClose={() => setIsAsked(false)}
        />
      )}
    </>
  );
};

/** What a person has set for themselves. */
export const Profile = () => {
  const profile = useLoaded<PersonProfile>(PATH);
  const preferences = useLoaded<Preferences>('/preferences');
  const failure = profile.failure ?? preferences.failure;
  return (
    <>
      <FailureNotice
        failure={failure}
        onRetry={() => {
          void profile.reload();
          void preferences.reload();
        }}
      />
      {profile.value && preferences.value ? (
        <>
          <OwnProfile current={profile.value} profile={profile} />
          <Notifications current={preferences.value} loaded={preferences} />
          <Sessions />
          <Membership />
        </>
      ) : (
        !failure && <Skeleton />
      )}
    </>
  );
};
