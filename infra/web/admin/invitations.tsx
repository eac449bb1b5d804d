import { useState } from 'preact/hooks';
import type { OwnInvitation } from '../../../shared/schemas/session.ts';
import { send } from './api.ts';
import { dateText, fill } from './formats.ts';
import { useWork } from './hooks.ts';
import { addressOf, page, t } from './page.ts';
import { Confirm } from './ui/dialog.tsx';
import { FailureNotice } from './ui/failure.tsx';
import { CheckField } from './ui/fields.tsx';
import { Button } from './ui/parts.tsx';
import { say } from './ui/said.tsx';

/** Opens the page again, with the organizations that the person has by now. */
const openAgain = (): void => {
  if (page.organization) location.reload();
  else location.assign(addressOf('/admin'));
};

/** Whether the page is about something else, so that the invitations need a heading of their own. */
const isBeside = page.organization !== null || page.organizations.length > 0;
const Title = isBeside ? 'h3' : 'h2';

const Card = ({ invitation, onDeclined }: { invitation: OwnInvitation; onDeclined: () => void }) => {
  const { organization_id, organization_name: organization, role, invited_by, expires_at } = invitation;
  const path = `/me/invitations/${organization_id}`;
  const work = useWork();
  const [mayActForMe, setMayActForMe] = useState(false);
  const [isAsked, setIsAsked] = useState(false);
  const join = () =>
    work.run(async () => {
      await send('POST', `${path}/join`, { body: { allow_acting: mayActForMe } });
      openAgain();
    });
  const decline = () =>
    work.run(async () => {
      await send('POST', `${path}/decline`);
      setIsAsked(false);
      say(fill(t.invitations.declined, { organization }));
      onDeclined();
    });
  const facts = [
    t.members[role],
    invited_by && fill(t.invitations.from, { name: invited_by }),
    fill(t.members.until, { date: dateText(expires_at) }),
  ];
  return (
    <li class="card">
      {!isAsked && <FailureNotice failure={work.failure} />}
      <div class="title">
        <Title>
          <bdi>{organization}</bdi>
        </Title>
        <span class="sub">
          <bdi>{facts.filter(Boolean).join(' · ')}</bdi>
        </span>
      </div>
      <div class="field">
        <CheckField
          label={fill(t.invitations.allowActing, { organization })}
          help={t.invitations.allowActingHelp}
          isChecked={mayActForMe}
          onChange={setMayActForMe}
        />
      </div>
      <div class="bar">
        <Button
          kind="first"
          label={`${t.invitations.join}: ${organization}`}
          isBusy={work.isBusy && !isAsked}
          onClick={() => void join()}
        >
          {t.invitations.join}
        </Button>
        <Button
          kind="plain danger"
          label={`${t.common.decline}: ${organization}`}
          onClick={() => {
            work.forget();
            setIsAsked(true);
          }}
        >
          {t.common.decline}
        </Button>
      </div>
      {isAsked && (
        <Confirm
          title={fill(t.invitations.declineTitle, { organization })}
          text={t.invitations.declineText}
          action={t.common.decline}
          work={work}
          onConfirm={() => void decline()}
          onClose={() => setIsAsked(false)}
        />
      )}
    </li>
  );
};

/** The organizations that invite the person, each to join or to decline. */
export const Invitations = () => {
  const [open, setOpen] = useState(page.invitations);
  if (open.length === 0) return null;
  const isLast = open.length === 1 && page.organizations.length === 0;
  return (
    <section class="invitations">
      {isBeside && <h2>{t.invitations.title}</h2>}
      <ul class="choices">
        {open.map((invitation) => (
          <Card
            key={invitation.organization_id}
            invitation={invitation}
            onDeclined={() => {
              if (isLast) openAgain();
              else setOpen(open.filter((other) => other !== invitation));
            }}
          />
        ))}
      </ul>
    </section>
  );
};
