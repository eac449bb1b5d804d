import { useState } from 'preact/hooks';
import type { Asset } from '../../../../shared/schemas/assets/asset.ts';
import type { Certificate } from '../../../../shared/schemas/certificates/certificate.ts';
import type { ClientAccount } from '../../../../shared/schemas/client-account.ts';
import type { CorrectionDecision } from '../../../../shared/schemas/inspections/correction.ts';
import type { Inspection, InspectionSummary } from '../../../../shared/schemas/inspections/inspection.ts';
import type { IssueCategory } from '../../../../shared/schemas/issues/category.ts';
import type { PublicLink } from '../../../../shared/schemas/issues/public-link.ts';
import type { Report } from '../../../../shared/schemas/reports/report.ts';
import type { ShareLink } from '../../../../shared/schemas/reports/share-link.ts';
import { read, send } from '../api.ts';
import { fill, numberText } from '../formats.ts';
import { useLoaded, useWork } from '../hooks.ts';
import { addressOf, page, t } from '../page.ts';
import { addressOfPlace, go } from '../route.ts';
import { Confirm, FormDialog } from '../ui/dialog.tsx';
import { problemOf, SelectField, TextField } from '../ui/fields.tsx';
import { Button } from '../ui/parts.tsx';
import { say } from '../ui/said.tsx';
import { SecretDialog } from '../ui/secret.tsx';

const x = t.acts;

const DECISIONS: readonly CorrectionDecision[] = ['approve', 'request_changes', 'reject'];

interface DecideProps {
  decision: CorrectionDecision;
  /** What the decision is sent to, and the version that it is about. */
  path: string;
  version?: number;
  /** Gets the reply. */
  onDone: (decided: unknown) => Promise<void> | void;
  onClose: () => void;
}

const Decide = ({ decision, path, version, onDone, onClose }: DecideProps) => {
  const [comment, setComment] = useState('');
  const work = useWork();
  const decide = () =>
    work.run(async () => {
      const body = { decision, ...(comment.trim() && { comment: comment.trim() }) };
      const decided = await send('POST', path, { body, ...(version !== undefined && { version }) });
      say(t.common.saved);
      onClose();
      await onDone(decided);
    });
  return (
    <FormDialog
      title={x[decision]}
      submit={x[decision]}
      work={work}
      fields={['comment']}
      onSubmit={() => void decide()}
      onClose={onClose}
    >
      <TextField
        label={x.comment}
        help={x.commentHelp}
        isOptional={decision !== 'request_changes'}
        value={comment}
        most={2_000}
        wrong={problemOf(work.failure, 'comment')}
        onChange={setComment}
      />
    </FormDialog>
  );
};

/** Whether an inspection awaits the approval of the person who looks at it. */
const useAwaits = ({ id, number, status, correction_status, approver_id }: Inspection): boolean => {
  const isPending = status === 'pending_approval';
  // No inspection has the number 0, so nothing is read where nothing is awaited.
  const waiting = useLoaded<Inspection[]>(
    `/v1/inspections?approver_id=me&limit=20&q=${isPending ? number : 0}`,
  );
  if (isPending) return waiting.value?.some((each) => each.id === id) ?? false;
  return correction_status === 'pending_approval' && (approver_id === null || approver_id === page.userId);
};

interface ActsProps<Row> {
  row: Row;
  onChanged: (row: Row) => void;
}

/** The decision on an inspection or its correction, for whoever is asked for it. */
const InspectionDecision = ({ row, onChanged }: ActsProps<Inspection>) => {
  const [decision, setDecision] = useState<CorrectionDecision>();
  if (!useAwaits(row)) return null;
  const base = `/inspections/${row.id}`;
  const isCorrection = row.status !== 'pending_approval';
  const path = isCorrection ? `${base}/corrections/${row.active_correction_id}/decision` : `${base}/decision`;
  return (
    <div class="notice warn">
      <p>
        <strong>{x.awaits}</strong>
      </p>
      <p class="links">
        {DECISIONS.map((each) => (
          <Button key={each} kind={each === 'approve' ? 'first' : 'second'} onClick={() => setDecision(each)}>
            {x[each]}
          </Button>
        ))}
      </p>
      {decision && (
        <Decide
          decision={decision}
          path={path}
          {...(!isCorrection && { version: row.version })}
          // Approvers do not see it any more once they have decided, so that it cannot be read again.
          onDone={async (decided) =>
            onChanged(isCorrection ? await read<Inspection>(`/v1${base}`) : (decided as Inspection))
          }
          onClose={() => setDecision(undefined)}
        />
      )}
    </div>
  );
};

/** Inspectors decide on nothing. */
export const InspectionActs = (props: ActsProps<Inspection>) =>
  page.organization!.role === 'inspector' ? null : <InspectionDecision {...props} />;

/** Says how much is erased with a client before it is. */
const Erase = ({ row, onClose }: { row: ClientAccount; onClose: () => void }) => {
  const summary = useLoaded<InspectionSummary>(`/v1/inspections/summary?client_account_id=${row.id}`);
  const work = useWork();
  const erase = () =>
    work.run(async () => {
      await send('POST', `/client-accounts/${row.id}/erase`, { version: row.version });
      say(fill(x.erased, { name: row.name }));
      go(addressOfPlace('clients'));
    });
  const numbers = {
    inspections: summary.value ? numberText(summary.value.total) : '…',
    locations: numberText(row.locations_count),
  };
  return (
    <Confirm
      title={fill(x.eraseTitle, { name: row.name })}
      text={x.eraseText}
      action={x.erase}
      work={work}
      onConfirm={() => void (summary.value && erase())}
      onClose={onClose}
    >
      <p>
        <strong>{fill(x.eraseNumbers, numbers)}</strong>
      </p>
    </Confirm>
  );
};

export const ClientActs = ({ row }: ActsProps<ClientAccount>) => {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <p class="bar">
      <Button kind="danger" onClick={() => setIsAsked(true)}>
        {x.erase}
      </Button>
      {isAsked && <Erase row={row} onClose={() => setIsAsked(false)} />}
    </p>
  );
};

/** Days for which a link to a report works, to choose from; the most is that of the service. */
const SHARE_DAYS = [1, 7, 30];

const Share = ({
  row,
  onClose,
  onMade,
}: {
  row: Report;
  onClose: () => void;
  onMade: (url: string) => void;
}) => {
  const [days, setDays] = useState('7');
  const work = useWork();
  const share = () =>
    work.run(async () => {
      const body = { expires_in_days: Number(days) };
      const { url } = await send<ShareLink>('POST', `/reports/${row.id}/share-links`, { body });
      onMade(url!);
    });
  return (
    <FormDialog
      title={x.shareTitle}
      submit={x.share}
      work={work}
      fields={['expires_in_days']}
      onSubmit={() => void share()}
      onClose={onClose}
    >
      <SelectField
        label={x.shareDays}
        value={days}
        options={SHARE_DAYS.map((each) => [String(each), numberText(each)])}
        onChange={setDays}
      />
    </FormDialog>
  );
};

export const ReportActs = ({ row }: ActsProps<Report>) => {
  const [step, setStep] = useState<{ url?: string }>();
  if (row.status === 'failed') return null;
  const close = () => setStep(undefined);
  return (
    <p class="bar">
      <Button kind="first" onClick={() => setStep({})}>
        {x.share}
      </Button>
      {step && step.url === undefined && (
        <Share row={row} onClose={close} onMade={(url) => setStep({ url })} />
      )}
      {step?.url !== undefined && (
        <SecretDialog
          title={x.shareTitle}
          label={x.link}
          secret={step.url}
          warning={x.shareWarning}
          onClose={close}
        />
      )}
    </p>
  );
};

interface NewLinkProps {
  title: string;
  lead: string;
  submit: string;
  /** What every issue is about that the link brings. */
  assetId?: string;
  categories: readonly IssueCategory[];
  onClose: () => void;
  onMade: (link: PublicLink) => void;
}

const NewLink = ({ title, lead, submit, assetId, categories, onClose, onMade }: NewLinkProps) => {
  const [category, setCategory] = useState(categories[0]?.id ?? '');
  const [label, setLabel] = useState('');
  const work = useWork();
  const create = () =>
    work.run(async () => {
      const path = `/issue-categories/${category}/public-links`;
      // Without a label, that of an asset is called by the asset.
      const body = { ...(label.trim() && { label: label.trim() }), ...(assetId && { asset_id: assetId }) };
      onMade(await send<PublicLink>('POST', path, { body }));
    });
  return (
    <FormDialog
      title={title}
      submit={submit}
      work={work}
      fields={['label']}
      onSubmit={() => void create()}
      onClose={onClose}
    >
      <p>{lead}</p>
      <SelectField
        label={x.category}
        value={category}
        options={categories.map(({ id, name }) => [id, name])}
        onChange={setCategory}
      />
      <TextField
        label={x.label}
        help={assetId ? '' : x.labelHelp}
        isOptional={assetId !== undefined}
        value={label}
        most={200}
        wrong={problemOf(work.failure, 'label')}
        onChange={setLabel}
      />
    </FormDialog>
  );
};

const cardOf = ({ category_id, id, token }: PublicLink): string =>
  addressOf(`/app/v1/issue-categories/${category_id}/public-links/${id}/card?token=${token}`);

/** A sheet with one label to stick on an asset. */
const sheetOf = ({ category_id, id, token }: PublicLink): string =>
  addressOf(`/app/v1/issue-categories/${category_id}/public-link-sheet?link=${id}:${token}`);

interface LinkActProps extends Pick<NewLinkProps, 'title' | 'lead' | 'submit' | 'assetId'> {
  /** What can be printed of the link: its name and address. */
  print: (link: PublicLink) => readonly [string, string];
}

const Printed = ({ of: [name, address] }: { of: readonly [string, string] }) => (
  <p>
    <a href={address} download>
      {name}
    </a>
  </p>
);

/** A button that makes a link by which anybody reports an issue, and what to print of it. */
const LinkAct = ({ print, ...about }: LinkActProps) => {
  const categories = useLoaded<IssueCategory[]>('/v1/issue-categories');
  const [step, setStep] = useState<{ link?: PublicLink }>();
  if (!categories.value?.length) return null;
  const close = () => setStep(undefined);
  return (
    <p class="bar">
      <Button onClick={() => setStep({})}>{about.submit}</Button>
      {step && !step.link && (
        <NewLink
          {...about}
          categories={categories.value}
          onClose={close}
          onMade={(link) => setStep({ link })}
        />
      )}
      {step?.link && (
        <SecretDialog
          title={about.title}
          label={x.link}
          secret={step.link.url!}
          warning={x.publicWarning}
          onClose={close}
        >
          <Printed of={print(step.link)} />
        </SecretDialog>
      )}
    </p>
  );
};

/** What can be done above the list of issues: a link by which anybody reports one, and its card to hang up. */
export const IssueListActs = () => (
  <LinkAct
    title={x.publicTitle}
    lead={x.publicLead}
    submit={x.publicLink}
    print={(link) => [x.card, cardOf(link)]}
  />
);

/** A label for an asset, by which anybody reports an issue about it. */
export const AssetActs = ({ row }: ActsProps<Asset>) =>
  row.status === 'decommissioned' ? null : (
    <LinkAct
      title={x.labelTitle}
      lead={x.labelLead}
      submit={x.newLabel}
      assetId={row.id}
      print={(link) => [x.sheet, sheetOf(link)]}
    />
  );

/** The page of a certificate to print, and the one that tells anyone whether it is valid. */
export const CertificateActs = ({ row }: ActsProps<Certificate>) => (
  <p class="links">
    <a href={addressOf(`/app/v1/certificates/${row.id}/page`)} target="_blank" rel="noopener">
      {x.openCertificate}
    </a>
    <a href={addressOf(`/verify/${row.number}`)} target="_blank" rel="noopener">
      {x.verifyCertificate}
    </a>
  </p>
);
