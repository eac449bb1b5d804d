import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { publicUrl } from '../../base/environment.ts';
import * as errors from '../../base/errors.ts';
import { keptFrom, timeAfter } from '../../base/time.ts';
import { resolveInstance } from '../../domain/content/content-index.ts';
import { isAnswered } from '../../domain/content/values/answer.ts';
import { acceptsAnswers } from '../../domain/inspections/workflow.ts';
import { type MailNote, progressOf } from '../../domain/mail/progress.ts';
import * as documents from '../../files/documents.ts';
import type { BroughtPhoto } from '../../files/documents.ts';
import { createLink } from '../../organizations/links/links.ts';
import {
  type NewSignatureLink,
  SIGNATURE_LINK_DAYS,
  SignatureLink,
} from '../../schemas/inspections/signature-link.ts';
import { present } from '../../schemas/projection.ts';
import { audit } from '../../table/audit.ts';
import { change, NOTHING } from '../../table/change.ts';
import { hasValues } from '../../table/conditions.ts';
import type {
  StoredAnswer,
  StoredInspection,
  StoredSignatureLink,
} from '../../table/entities/inspections.ts';
import type { LinkTargets, StoredOrganization } from '../../table/entities/organization.ts';
import { type Key, keys, nameOfKey } from '../../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../../table/listing.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import { getRow, getRows, queryRows, withRows } from '../../table/rows.ts';
import type { SignatureLinkTask } from '../../table/tasks.ts';
import * as write from '../../table/writes.ts';
import { contentOf } from '../../templates/content.ts';
import { expectAnswerable, expectPart } from '../rows/acting.ts';
import { inspectionRecords, placeOf } from '../rows/inspection-records.ts';
import { stillAcceptsAnswers } from '../rows/revisions.ts';
import { noNumbers } from './consequences.ts';
import { decideAnswers, mutationsOf, readSent } from './decide.ts';
import { inspectionKeys, LoadedRows } from './loaded-rows.ts';

const NOUN = 'signature link';

const DAY_MS = 86_400_000;

/** How long a link works, in milliseconds. */
const LINK_MS = SIGNATURE_LINK_DAYS * DAY_MS;

/** How long a link stays in the list after its end, in seconds: 400 days. */
const KEPT_SECONDS = 400 * 86_400;

/** Bytes of the secret that signs the forms of a link. */
const SECRET_BYTES = 32;

type Target = LinkTargets['sign'];

const answerKey = (
  caller: Caller,
  { inspection_id, field_id, instance_path }: Pick<Target, 'inspection_id' | 'field_id' | 'instance_path'>,
): Key<StoredAnswer> => keys.answer(caller, inspection_id, field_id, instance_path);

/** Whether a witness can sign in an inspection: a correction is made by members alone. */
const takesSignatures = (inspection: Pick<StoredInspection, 'status' | 'correction_stage'>): boolean =>
  inspection.correction_stage === null && acceptsAnswers(inspection);

/** @param now ISO 8601 */
const statusOf = (
  { signed_at, revoked_at, expires_at }: StoredSignatureLink,
  inspection: StoredInspection,
  answer: StoredAnswer | undefined,
  now: string,
): SignatureLink['status'] => {
  if (signed_at) return 'signed';
  if (revoked_at) return 'revoked';
  if (!takesSignatures(inspection) || (answer && isAnswered(answer))) return 'ended';
  return expires_at > now ? 'active' : 'expired';
};

const toSignatureLink = (
  link: StoredSignatureLink,
  status: SignatureLink['status'],
  url: string | null = null,
): SignatureLink =>
  present(SignatureLink, link, { url, status, mail: link.email === null ? null : progressOf(link.mailed) });

/**
 * Makes a link by which a witness signs a field, and mails it if there is an email address.
 * @throws ApiError 404; 400 for a field that does not exist; 403 for an inspector without a part; 409 for a locked
 *   inspection, one that is being corrected, and a field that has an answer; 422 for another field, or an instance that
 *   it cannot have
 */
export const create = (
  caller: Caller,
  inspection_id: string,
  { section_id, field_id, instance_path: given, name, email: address }: NewSignatureLink,
): Promise<SignatureLink> =>
  change(caller, async (work) => {
    const inspection = await inspectionRecords.get(work, inspection_id);
    expectAnswerable(work, inspection);
    if (!takesSignatures(inspection)) throw errors.inspectionLocked(inspection.status);
    const index = await contentOf(work, inspection.template_id, inspection.content_hash);
    const { field } = placeOf(index, field_id, section_id);
    if (field.type !== 'signature')
      throw errors.validationFailed([
        { loc: ['body', 'field_id'], type: 'value_error', msg: 'Value error, should be a signature field' },
      ]);
    const instance = resolveInstance(index, field_id, undefined, given);
    if (Array.isArray(instance)) throw errors.validationFailed(instance);
    const { instance_path } = instance;
    const answer = await getRow(work, answerKey(work, { inspection_id, field_id, instance_path }));
    if (answer && isAnswered(answer)) throw errors.fieldAnswered();
    const email = address ?? null;
    const id = uuidv7();
    const expires_at = timeAfter(work.now, LINK_MS);
    const link: StoredSignatureLink = {
      id,
      inspection_id,
      section_id,
      field_id,
      instance_path,
      name,
      email,
      expires_at,
      signed_at: null,
      revoked_at: null,
      created_by: work.user_id,
      created_at: work.now,
      updated_at: work.now,
      form_secret: randomBytes(SECRET_BYTES).toString('base64url'),
      ttl: keptFrom(expires_at, KEPT_SECONDS),
    };
    const token = await newToken(work, link);
    const task: SignatureLinkTask = { what: 'signature_link', inspection_id, link_id: id };
    return {
      writes: [
        write.create({ ...keys.signatureLink(work, inspection_id, id), ...link }),
        write.check(inspectionRecords.key(work, inspection_id), undefined, stillAcceptsAnswers(inspection)),
        audit(work, 'signature_link.created', id),
        ...(email === null ? [] : [enqueue(work, 'mail', task)]),
      ],
      reply: toSignatureLink(link, 'active', publicUrl('w', token)),
    };
  });

/** A token of a link. The reply and the mail have one each. */
const newToken = (
  caller: Caller,
  { id, inspection_id, field_id, instance_path, expires_at }: StoredSignatureLink,
): Promise<string> =>
  createLink(caller, 'sign', { inspection_id, field_id, instance_path, link_id: id }, Date.parse(expires_at));

/** The links of an inspection, newest first, without their URLs. @throws ApiError 404 */
export const list = async (
  caller: Caller,
  inspectionId: string,
  query: ListQuery,
): Promise<Listing<SignatureLink>> => {
  const filters = { ...query, inspection_id: inspectionId };
  const after = readCursor(caller, NOUN, filters);
  const inspection = await inspectionRecords.get(caller, inspectionId);
  const links = queryRows(caller, {
    ...keys.parts(caller, 'INSPECTION', inspectionId, 'SIGNATURE_LINK'),
    after,
    updatedSince: query.updated_since,
    newestFirst: true,
  });
  const now = new Date().toISOString();
  return listing(
    caller,
    NOUN,
    filters,
    withRows(caller, links, (link) => [answerKey(caller, link)] as const, query.limit && query.limit + 1),
    ([{ sk }]) => sk,
    ([link, [answer]]) => toSignatureLink(link, statusOf(link, inspection, answer, now)),
  );
};

/**
 * Ends a link at once and for good. One by which somebody has signed stays as it is.
 * @throws ApiError 404; 403 for an inspector without a part
 */
export const revoke = (caller: Caller, inspectionId: string, id: string): Promise<void> =>
  change(caller, async (work) => {
    const key = keys.signatureLink(work, inspectionId, id);
    const [inspection, link] = await getRows(work, [inspectionRecords.key(work, inspectionId), key]);
    if (!inspection) throw errors.notFound(inspectionRecords.noun);
    if (!link) throw errors.notFound(NOUN);
    expectPart(work, inspection);
    if (link.revoked_at || link.signed_at) return NOTHING;
    const set = { revoked_at: work.now, updated_at: work.now };
    return {
      writes: [
        write.update(key, { set }, hasValues({ revoked_at: null, signed_at: null })),
        audit(work, 'signature_link.revoked', id),
      ],
      reply: undefined,
    };
  });

/** What a witness's link opens. */
export interface OpenedSignature {
  link: StoredSignatureLink;
  inspection: StoredInspection;
  organization: StoredOrganization;
  /** Whether this form has signed. */
  isSigned: boolean;
}

/**
 * Reads what the page of a witness's link shows. One call.
 * @param nonce of the form that was sent
 * @throws ApiError 404 for a link that does not work, whatever the reason, unless this form has signed by it
 */
export const openSignatureLink = async (
  caller: Caller,
  target: Target,
  nonce?: string,
): Promise<OpenedSignature> => {
  const { inspection_id, link_id } = target;
  const [link, inspection, organization, answer] = await getRows(caller, [
    keys.signatureLink(caller, inspection_id, link_id),
    inspectionRecords.key(caller, inspection_id),
    keys.organization(caller),
    answerKey(caller, target),
  ]);
  if (!link || !inspection || !organization) throw errors.notFound('link');
  const isSigned = nonce !== undefined && link.signed_nonce === nonce;
  const isOpen = statusOf(link, inspection, answer, new Date().toISOString()) === 'active';
  if (!isOpen && !isSigned) throw errors.notFound('link');
  return { link, inspection, organization, isSigned };
};

/** The name of the member who asks for a signature; null for an API key, or one who has left. */
export const askerOf = async (
  caller: Caller,
  { created_by }: Pick<StoredSignatureLink, 'created_by'>,
): Promise<string | null> => {
  const member = await getRow(caller, keys.one(caller, 'MEMBER', created_by));
  return member && member.role !== 'api' ? member.name : null;
};

/** A form with which a witness signs. */
interface SignedForm {
  /** Identifies the form, so that a form that is sent twice counts once. */
  nonce: string;
  /** Of the signature. Its file is stored already. */
  picture: BroughtPhoto;
  /** Whether an inspection has the answers that the witness has seen. */
  isAsShown: (inspection: StoredInspection) => boolean;
}

/**
 * Saves the signature of a witness as the answer to the field, and ends the link, in one transaction.
 * @param caller the link's visitor
 * @returns whether it is saved; false when an answer has changed since it was shown
 * @throws ApiError 404 for a link that does not work (any more); as for any answer, 409 and 422
 */
export const sign = (
  caller: Caller,
  target: Target,
  { nonce, picture, isAsShown }: SignedForm,
): Promise<boolean> => {
  const { inspection_id, link_id } = target;
  const taken = noNumbers();
  return change(caller, async (work) => {
    const key = keys.signatureLink(work, inspection_id, link_id);
    const rows = new LoadedRows(work);
    await rows.load([key, ...inspectionKeys(work, inspection_id), answerKey(work, target)]);
    const [link, inspection] = [rows.get(key), rows.get(inspectionRecords.key(work, inspection_id))];
    const answer = rows.get(answerKey(work, target));
    if (!link || !inspection || statusOf(link, inspection, answer, work.now) !== 'active')
      throw errors.notFound('link');
    if (!isAsShown(inspection)) return { writes: [], reply: false };
    const { section_id, field_id, instance_path, name } = link;
    const witness = { ...work, name };
    const index = await contentOf(work, inspection.template_id, inspection.content_hash);
    const sent = readSent(witness, inspection_id, index, {
      section_id,
      field_id,
      instance_path,
      value: { document_id: picture.id, signed_name: name, signed_at: work.now },
      note: answer?.note ?? '',
      is_na: false,
      media: answer?.media ?? [],
      client_answered_at: work.now,
      expected_version: answer?.version ?? 0,
    });
    const answers = [sent];
    const request = {
      inspectionId: inspection_id,
      index,
      answers,
      mutations: mutationsOf(answers),
      isExact: true,
    } as const;
    const document = documents.key(work, picture.id);
    rows.add(document, { mime_type: picture.mime_type });
    const { writes, reply } = await decideAnswers(witness, request, 0, rows, taken);
    const [outcome] = reply;
    if ('error' in outcome!) throw outcome.error;
    const set = { signed_at: work.now, signed_nonce: nonce, updated_at: work.now };
    return {
      writes: [
        // The document is created with its use.
        ...writes.filter((each) => nameOfKey(each.key) !== nameOfKey(document)),
        ...documents.photoWrites(witness, [picture]),
        write.update(key, { set }, hasValues({ signed_at: null, revoked_at: null })),
      ],
      reply: true,
    };
  });
};

/** What the mail with a link says. */
export interface SignatureMail {
  link: StoredSignatureLink & { email: string };
  inspection: StoredInspection;
  asker: string | null;
  /** Makes the link of one attempt to send the mail. */
  newToken: () => Promise<string>;
}

/** The mail of a task; undefined when the link has ended meanwhile. Three calls. */
export const openSignatureMail = async (
  caller: Caller,
  { inspection_id, link_id }: SignatureLinkTask,
): Promise<SignatureMail | undefined> => {
  const link = await getRow(caller, keys.signatureLink(caller, inspection_id, link_id));
  if (!link?.email) return undefined;
  const { email } = link;
  const [inspection, answer] = await getRows(caller, [
    inspectionRecords.key(caller, inspection_id),
    answerKey(caller, link),
  ]);
  if (!inspection || statusOf(link, inspection, answer, new Date().toISOString()) !== 'active')
    return undefined;
  return {
    link: { ...link, email },
    inspection,
    asker: await askerOf(caller, link),
    newToken: () => newToken(caller, link),
  };
};

/**
 * Notes what became of the mail with a link.
 * @param decide the note after the one that stands there; undefined leaves it
 */
export const noteMail = (
  caller: Caller,
  { inspection_id, link_id }: SignatureLinkTask,
  decide: (known: MailNote | undefined, now: string) => MailNote | undefined,
): Promise<void> =>
  change(caller, async (work) => {
    const key = keys.signatureLink(work, inspection_id, link_id);
    const link = await getRow(work, key);
    const note = link && decide(link.mailed, work.now);
    if (!note) return NOTHING;
    const { updated_at } = link;
    return {
      writes: [write.update(key, { set: { mailed: note, updated_at: work.now } }, hasValues({ updated_at }))],
      reply: undefined,
    };
  });
