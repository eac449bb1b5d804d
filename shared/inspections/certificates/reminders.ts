import { ofAsset } from '../../domain/labels.ts';
import { audienceOf, notify } from '../../notices/notify.ts';
import * as members from '../../organizations/members/members.ts';
import { locationRecords } from '../../places/locations/records.ts';
import type { Work } from '../../table/change.ts';
import type { CertificateExpiry, StoredCertificate } from '../../table/entities/certificates.ts';
import type { DueRows } from '../../table/entities/kinds.ts';
import { type Key, keys } from '../../table/keys.ts';
import { dueAt } from '../../table/outbox/due.ts';
import { queryRows, withRows } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { inspectionRecords } from '../rows/inspection-records.ts';
import { certificateEvent, certificateRecords, nextMoment } from './records.ts';

/** Whether a later certificate of the same kind for the same asset is valid. Two calls; none without an asset. */
const isRenewed = async (
  work: Work,
  { id, asset_id, kind_id, expires_at }: StoredCertificate,
): Promise<boolean> => {
  if (!asset_id) return false;
  const range = keys.certificateWith.range(work, ofAsset(asset_id));
  const found = queryRows(work, { ...range, newestFirst: true });
  const keysOf = ({ sk }: { sk: string }) =>
    [certificateRecords.key(work, sk.slice(range.prefix.length))] as const;
  for await (const [, [other]] of withRows(work, found, keysOf)) {
    if (!other || other.id <= id) return false;
    if (other.kind_id === kind_id && other.status === 'valid' && other.expires_at >= expires_at) return true;
  }
  return false;
};

/** Who looks after the place of a certificate; the admins where nobody does. Two calls at most. */
const caretakers = async (work: Work, { location_id }: StoredCertificate): Promise<string[]> => {
  const location = location_id === null ? undefined : await locationRecords.find(work, location_id);
  const people = (location?.people ?? []).map(({ user_id }) => user_id);
  return people.length > 0 ? people : members.adminsOf(work);
};

/** The notices and the event of a certificate that expires soon, or has expired. */
const toldOf = async (work: Work, certificate: StoredCertificate, isOver: boolean): Promise<Write[]> => {
  const inspection = await inspectionRecords.find(work, certificate.inspection_id);
  const event = certificateEvent(work, isOver ? 'expired' : 'expiring', certificate);
  if (!inspection) return [event];
  const audience = await audienceOf(work, certificate.template_family_id, 'on_overdue');
  const facts = { inspection, certificate, user_ids: await caretakers(work, certificate) };
  const trigger = isOver ? 'certificateExpired' : 'certificateExpiring';
  return [event, ...notify(work, trigger, facts, audience)];
};

/**
 * What is to be told of the end of a certificate, at a moment that its kind names or at the end itself. Nothing is told
 * of one that a later certificate has replaced, or that is not valid. The row then waits for the next moment, and stays
 * after the last one: lists find certificates by it.
 */
export const endingCertificate = async (
  work: Work,
  row: CertificateExpiry & Key<DueRows['DEADLINE']>,
  now: string,
): Promise<Write[]> => {
  const { by_due: _due, by_due_at: _at, attempts: _attempts, ...kept } = row;
  const { certificate_id: id, version } = kept;
  const certificate = await certificateRecords.find(work, id);
  if (!certificate) return [write.remove({ pk: row.pk, sk: row.sk }, version)];
  const next = nextMoment(certificate, now);
  const waiting = { ...kept, version: version + 1, ...(next && dueAt('DEADLINE', id, next)) };
  const done = write.replace<object>(waiting, version);
  if (certificate.status !== 'valid' || (await isRenewed(work, certificate))) return [done];
  return [done, ...(await toldOf(work, certificate, certificate.expires_at <= now))];
};
