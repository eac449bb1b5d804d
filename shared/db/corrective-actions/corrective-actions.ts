import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import { badRequest, conflict, forbidden, notFound } from '../../base/errors.ts';
import { merge } from '../../base/merge.ts';
import {
  type ActionStep,
  activityOf,
  isActionOpen,
  isStepOpen,
  lacksEvidence,
  needsSecondPerson,
  stepped,
  stepRefusal,
  stepTo,
} from '../../domain/corrective-actions.ts';
import type {
  Activity,
  Attachment,
  CorrectiveAction,
  CorrectiveActionChanges,
  CorrectiveActionQuery,
  MyCorrectiveActionQuery,
  NewAttachment,
  NewComment,
  NewCorrectiveAction,
  Verification,
} from '../../schemas/corrective-action.ts';
import type { Document } from '../../schemas/document.ts';
import type { Finding } from '../../schemas/finding.ts';
import type { Member } from '../../schemas/member.ts';
import * as documents from '../documents/documents.ts';
import { opening, RESOLVED } from '../findings/findings.ts';
import {
  actionKey,
  actionNotices,
  activity,
  changesTold,
  following,
  newAction,
  nextActionNumber,
  type StoredAction,
  toAction,
  type Told,
} from '../inspection-core/corrective-action-record.ts';
import { countIn, expectUnarchived, isUnarchived, readPart } from '../inspection-core/parts.ts';
import { rows as inspections, type StoredInspection } from '../inspection-core/record.ts';
import * as members from '../members/members.ts';
import type { StoredOrganization } from '../organization/organizations.ts';
import { change } from '../table/change.ts';
import { expectVersion, newResource, nextVersion, type Versioned } from '../table/collection.ts';
import { exists } from '../table/conditions.ts';
import { type Key, keys } from '../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../table/listing.ts';
import { emit } from '../table/outbox.ts';
import { getRow, queryRows, type Row, withoutKeys, withRows } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

const KIND = 'ACTION';
const NOUN = 'corrective action';

/** As stored: what is known of its file stands in its document. */
type StoredAttachment = Omit<Attachment, 'file_name' | 'mime_type' | 'size_bytes'>;

/** What a decided change makes of an action, and what becomes known of it. */
interface Edit<Reply> {
  next: StoredAction;
  told: Told[];
  writes?: Write[];
  reply: (outcome: { action: CorrectiveAction; entries: Activity[] }) => Reply;
}

const whole = ({ action }: { action: CorrectiveAction }): CorrectiveAction => action;

const openings = (before: StoredAction, after: StoredAction): number =>
  Number(isActionOpen(after.status)) - Number(isActionOpen(before.status));

/**
 * One change of an action, which nothing but the archiving of its inspection forbids altogether. Each moves its
 * version, so that what is written below it can rely on it.
 */
const edit = <Reply>(
  caller: Caller,
  id: string,
  expectedVersion: number | undefined,
  {
    also,
    check = () => {},
    decide,
  }: {
    /** Rows that the decision needs. */
    also?: readonly Key[];
    /** @throws ApiError 400 where one of them is not as the request supposes */
    check?: (others: (Row<object> | undefined)[], current: StoredAction) => void;
    decide: (
      current: StoredAction,
      others: (Row<object> | undefined)[],
    ) => Promise<Edit<Reply>> | Edit<Reply>;
  },
): Promise<Reply> =>
  change(caller, async () => {
    const { part, inspection, others } = await readPart<StoredAction>(caller, KIND, id, also);
    const current = withoutKeys<StoredAction>(part);
    check(others, current);
    expectVersion(NOUN, current, expectedVersion);
    const { next, told, writes = [], reply } = await decide(current, others);
    const isChanged = !isDeepStrictEqual(next, current);
    if (!isChanged && told.length === 0) {
      return { writes: [], reply: reply({ action: toAction(current, inspection), entries: [] }) };
    }
    expectUnarchived(inspection);
    if (lacksEvidence(next)) {
      throw conflict(
        `${NOUN} is ${current.status}; it awaits verification only with an attachment of stage after, its evidence`,
      );
    }
    const updated = nextVersion(current, next);
    const { inspection_id, finding_id, status } = updated;
    const history = told.map((each) => activity(caller, id, each));
    return {
      writes: [
        write.replace({ ...actionKey(caller, updated), ...updated }, current.version),
        ...following(caller, current, updated),
        ...actionNotices(caller, inspection, current, updated),
        ...history.map(({ write }) => write),
        isChanged
          ? countIn(
              caller,
              inspection_id,
              { findings_revision: 1, open_corrective_actions_count: openings(current, updated) },
              isUnarchived,
            )
          : write.check(inspections.key(caller, inspection_id), undefined, isUnarchived),
        ...(status === current.status
          ? []
          : [
              emit(caller, 'corrective_action.status_changed', {
                inspection_id,
                finding_id,
                corrective_action_id: id,
                status,
              }),
            ]),
        ...writes,
      ],
      reply: reply({
        action: toAction(updated, inspection),
        entries: history.map(({ entry }) => entry),
      }),
    };
  });

/** An action one step on, and how its history tells that. @throws ApiError 409 where the step is not open */
const take = (
  caller: Caller,
  step: ActionStep,
  current: StoredAction,
  note: string,
): Pick<Edit<never>, 'next' | 'told'> => {
  if (!isStepOpen(step, current.status)) throw conflict(stepRefusal(step, current.status));
  const next = {
    ...current,
    ...stepped(step, current, { at: new Date().toISOString(), by: caller.user_id, note }),
  };
  return { next, told: [{ kind: activityOf(step), from: current.status, to: next.status, note }] };
};

/** @throws ApiError 409 for what is verified or cancelled: only its reopening changes it */
const expectOpen = ({ status }: StoredAction): void => {
  if (!isActionOpen(status)) throw conflict(`${NOUN} is ${status}; reopen it before changing it`);
};

const checkAssignee = (row: Row<object> | undefined): void => {
  const member = row as Row<Member> | undefined;
  if (!member) throw badRequest('assignee_id does not exist');
  if (member.status !== 'active') throw badRequest(`assignee_id is a member who is ${member.status}`);
};

const attachmentOf = (stored: StoredAttachment, document: Document): Attachment => {
  const { file_name, mime_type, size_bytes } = document;
  return { ...stored, file_name, mime_type, size_bytes };
};

/** Adds or takes away evidence, where an attachment is such. */
const withEvidence = (action: StoredAction, { stage }: NewAttachment, delta: 1 | -1): StoredAction => ({
  ...action,
  evidence_count: action.evidence_count + (stage === 'after' ? delta : 0),
});

const page = ({ limit }: ListQuery): number | undefined => limit && limit + 1;

/** @throws ApiError 404 */
const expectAction = async (caller: Caller, id: string): Promise<void> => {
  if (!(await getRow(caller, keys.reference(caller, KIND, id)))) throw notFound(NOUN);
};

/** Actions given to a member that pass the filters, in creation order. */
const given = async function* (
  caller: Caller,
  { status, external_ref, updated_since, limit }: MyCorrectiveActionQuery,
  after: string | undefined,
): AsyncGenerator<CorrectiveAction> {
  const { pk: partition } = keys.actionAssignment(caller, caller.user_id, '');
  const isFiltered = status ?? external_ref ?? updated_since;
  const assigned = queryRows<{ inspection_id: string }>(caller, {
    partition,
    after,
    pageSize: isFiltered ? undefined : page({ limit }),
  });
  const read = withRows(
    caller,
    assigned,
    ({ sk, inspection_id }) => [
      actionKey(caller, { inspection_id, id: sk }),
      inspections.key(caller, inspection_id),
    ],
    page({ limit }),
  );
  for await (const [, [action, inspection]] of read) {
    if (!action || !inspection) continue;
    const shown = toAction(withoutKeys(action as Row<StoredAction>), inspection as Row<StoredInspection>);
    if (
      // Whoever had it when the list was read need not have it any more.
      shown.assignee_id === caller.user_id &&
      (status?.includes(shown.status) ?? true) &&
      (external_ref === undefined || shown.external_ref === external_ref) &&
      (updated_since === undefined || shown.updated_at >= updated_since)
    ) {
      yield shown;
    }
  }
};

/**
 * @throws ApiError 404; 400 for an assignee who is no active member; 409 for a resolved finding, an archived
 *   inspection or a taken external_ref
 */
export const create = async (
  caller: Caller,
  findingId: string,
  made: NewCorrectiveAction,
): Promise<CorrectiveAction> => {
  const { assignee_id } = made;
  let number: number | undefined;
  return change(caller, async () => {
    const {
      part: finding,
      inspection,
      others: [assignee],
    } = await readPart<Finding>(
      caller,
      'FINDING',
      findingId,
      assignee_id ? [members.key(caller, assignee_id)] : [],
    );
    if (assignee_id) checkAssignee(assignee);
    expectUnarchived(inspection);
    if (finding.status === 'resolved') throw conflict(RESOLVED);
    number ??= await nextActionNumber(caller);
    const { inspection_id } = finding;
    const { action, writes } = newAction(caller, number, { ...made, finding_id: findingId, inspection_id });
    return {
      writes: [
        ...writes,
        ...actionNotices(caller, inspection, undefined, action),
        opening(caller, action, 1),
        countIn(
          caller,
          inspection_id,
          { findings_revision: 1, parts_revision: 1, open_corrective_actions_count: 1 },
          isUnarchived,
        ),
      ],
      reply: toAction(action, inspection),
    };
  });
};

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<CorrectiveAction> => {
  const { part, inspection } = await readPart<StoredAction>(caller, KIND, id);
  return toAction(withoutKeys(part), inspection);
};

/**
 * Edits its fields, and takes the step that leads to `status`.
 * @throws ApiError 404; 400 for an assignee who is no active member; 409 for another version, a step that is not
 *   open, missing evidence, a closed action, an archived inspection or a taken external_ref
 */
export const update = (
  caller: Caller,
  id: string,
  { status, ...fields }: CorrectiveActionChanges,
  expectedVersion?: number,
): Promise<CorrectiveAction> =>
  edit(caller, id, expectedVersion, {
    also: fields.assignee_id ? [members.key(caller, fields.assignee_id)] : [],
    check: ([assignee], current) => {
      if (fields.assignee_id && fields.assignee_id !== current.assignee_id) checkAssignee(assignee);
    },
    decide: (current) => {
      const edited = merge(current, fields);
      if (status === undefined || status === current.status) {
        if (!isDeepStrictEqual(edited, current)) expectOpen(current);
        return { next: edited, told: changesTold(current, edited), reply: whole };
      }
      const step = stepTo(status);
      if (!step) {
        throw conflict(
          `${NOUN} is ${current.status}; it becomes ${status} by being ${status === 'open' ? 'reopened' : 'verified'}`,
        );
      }
      const note = step === 'complete' ? edited.completion_note : '';
      const { next, told } = take(caller, step, edited, note);
      return { next, told: [...changesTold(current, edited), ...told], reply: whole };
    },
  });

/**
 * A verdict on what was done.
 * @throws ApiError 404; 403 for whoever completed it, where that takes a second person; 409 for another version,
 *   an archived inspection, or unless it awaits verification
 */
export const verify = (
  caller: Caller,
  id: string,
  { accepted, note }: Verification,
  expectedVersion?: number,
): Promise<CorrectiveAction> =>
  edit(caller, id, expectedVersion, {
    also: [keys.organization(caller)],
    decide: (current, [organization]) => {
      const taken = take(caller, accepted ? 'accept' : 'decline', current, note);
      const { four_eyes_verification } = organization as Row<StoredOrganization>;
      const isOwn = current.completed_by === caller.user_id;
      if (accepted && isOwn && needsSecondPerson(four_eyes_verification, !('key_id' in caller))) {
        throw forbidden(`whoever completed a ${NOUN} may not verify it`);
      }
      return { ...taken, reply: whole };
    },
  });

/**
 * @throws ApiError 404; 409 for another version, a resolved finding, an archived inspection, or while it is open
 *   or in progress
 */
export const reopen = (caller: Caller, id: string, reason: string, expectedVersion?: number): Promise<null> =>
  edit(caller, id, expectedVersion, {
    decide: (current) => ({
      ...take(caller, 'reopen', current, reason),
      writes: [opening(caller, current, 0)],
      reply: () => null,
    }),
  });

/** @throws ApiError 404; 409 for an archived inspection */
export const comment = (caller: Caller, id: string, { note }: NewComment): Promise<Activity> =>
  edit(caller, id, undefined, {
    decide: (current) => ({
      next: current,
      told: [{ kind: 'commented', note }],
      reply: ({ entries }) => entries[0]!,
    }),
  });

/** What happened to it, oldest first. @throws ApiError 404 */
export const listActivity = async (
  caller: Caller,
  id: string,
  query: ListQuery,
): Promise<Listing<Activity>> => {
  const name = `ACTIVITY ${id}`;
  const after = readCursor(caller, name, query);
  await expectAction(caller, id);
  const told = queryRows<Activity & { updated_at: string }>(caller, {
    partition: keys.below(caller, KIND, id),
    prefix: 'ACTIVITY#',
    after,
    updatedSince: query.updated_since,
  });
  return listing(
    caller,
    name,
    query,
    told,
    ({ sk }) => sk,
    (row): Activity => {
      const { updated_at: _, ...entry } = withoutKeys<Activity & { updated_at: string }>(row);
      return entry;
    },
  );
};

/**
 * Links a document, which counts as used by it.
 * @throws ApiError 404; 400 for a document that is not there; 409 for a closed action or an archived inspection
 */
export const attach = (caller: Caller, id: string, made: NewAttachment): Promise<Attachment> =>
  edit(caller, id, undefined, {
    also: [documents.key(caller, made.document_id)],
    check: ([document]) => {
      if (!document) throw badRequest('document_id does not exist');
    },
    decide: (current, [document]) => {
      expectOpen(current);
      const { version: _, ...attachment } = newResource({ ...made, added_by: caller.user_id });
      return {
        next: withEvidence(current, made, 1),
        told: [{ kind: 'attachment_added', to: made.document_id, note: made.caption }],
        writes: [
          write.create({ ...keys.attachment(caller, id, attachment.id), ...attachment }),
          documents.use(caller, made.document_id, 1, 'document_id'),
        ],
        reply: () => attachmentOf(attachment, document as Row<Document>),
      };
    },
  });

/** @throws ApiError 404; 409 for a closed action, an archived inspection, or evidence that is still required */
export const detach = (caller: Caller, id: string, attachmentId: string): Promise<null> => {
  const key = keys.attachment(caller, id, attachmentId);
  return edit(caller, id, undefined, {
    also: [key],
    decide: (current, [row]) => {
      if (!row) throw notFound('attachment');
      expectOpen(current);
      const attachment = row as Row<StoredAttachment>;
      return {
        next: withEvidence(current, attachment, -1),
        told: [{ kind: 'attachment_removed', from: attachment.document_id, note: attachment.caption }],
        writes: [write.remove(key, exists), documents.use(caller, attachment.document_id, -1, 'document_id')],
        reply: () => null,
      };
    },
  });
};

/**
 * Its documents in the order in which they were linked.
 * @param present what the client is told of one
 * @throws ApiError 404
 */
export const listAttachments = async <Shown>(
  caller: Caller,
  id: string,
  query: ListQuery,
  present: (attachment: Attachment) => Promise<Shown>,
): Promise<Listing<Shown>> => {
  const name = `ATTACHMENT ${id}`;
  const after = readCursor(caller, name, query);
  await expectAction(caller, id);
  const linked = withRows(
    caller,
    queryRows<StoredAttachment>(caller, {
      partition: keys.below(caller, KIND, id),
      prefix: 'ATTACHMENT#',
      after,
      updatedSince: query.updated_since,
    }),
    ({ document_id }) => [documents.key(caller, document_id)],
    page(query),
  );
  const shown = (async function* () {
    for await (const [row, [document]] of linked) {
      const attachment = attachmentOf(withoutKeys<StoredAttachment>(row), document as Row<Document>);
      yield { position: row.sk, attachment: await present(attachment) };
    }
  })();
  return listing(
    caller,
    name,
    query,
    shown,
    ({ position }) => position,
    ({ attachment }) => attachment,
  );
};

/** Those of one inspection, in creation order. @throws ApiError 404 */
export const list = async (
  caller: Caller,
  inspectionId: string,
  query: CorrectiveActionQuery,
): Promise<Listing<CorrectiveAction>> => {
  const name = `${KIND} ${inspectionId}`;
  const after = readCursor(caller, name, query);
  const inspection = await inspections.get(caller, inspectionId);
  const { status, finding_id, assignee_id, external_ref } = query;
  const only = (value: string | undefined) => (value === undefined ? undefined : [value]);
  const found = queryRows<StoredAction & Versioned>(caller, {
    partition: keys.below(caller, 'INSPECTION', inspectionId),
    prefix: `${KIND}#`,
    after,
    updatedSince: query.updated_since,
    where: {
      status,
      finding_id: only(finding_id),
      assignee_id: only(assignee_id),
      external_ref: only(external_ref),
    },
  });
  return listing(
    caller,
    name,
    query,
    found,
    ({ sk }) => sk,
    (row) => toAction(withoutKeys(row), inspection),
  );
};

/** Those given to the caller, of all inspections, in creation order. */
export const mine = async (
  caller: Caller,
  query: MyCorrectiveActionQuery,
): Promise<Listing<CorrectiveAction>> => {
  const name = `${KIND} of ${caller.user_id}`;
  return listing(
    caller,
    name,
    query,
    given(caller, query, readCursor(caller, name, query)),
    ({ id }) => id,
    (action) => action,
  );
};
