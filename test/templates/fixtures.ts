import { v7 as uuidv7 } from 'uuid';
import { sha256 } from '../../shared/base/encoding.ts';
import type { Family } from '../../shared/schemas/templates/family.ts';
import type { ReportLayout } from '../../shared/schemas/templates/report-layout.ts';
import type { Template } from '../../shared/schemas/templates/template.ts';
import { change, workOf } from '../../shared/table/change.ts';
import { newResource } from '../../shared/table/collection.ts';
import type { StoredSource } from '../../shared/table/entities/integrations.ts';
import { keys } from '../../shared/table/keys.ts';
import { getSystemRows } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import * as families from '../../shared/templates/families.ts';
import { as } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import type { Person } from '../support/people.ts';

/** A content that can be published: two fields to answer, one of them required. */
export const CONTENT = contentWith(field(2, 'text', { required: true }), field(3));

type Approval = Family['settings']['approval'];

/** Settings of the approval that grant rights. No key can change them. */
type ApprovalRights = Partial<Omit<Approval, 'approver_ids'>>;

/** Grants rights of approval in a family, or takes them away, as the operator does. */
export const grantApproval = async (
  key: string,
  familyId: string,
  approval: ApprovalRights,
): Promise<Family> => {
  const [row] = await getSystemRows([keys.apiKey(sha256(key))]);
  const operator = { org_id: row!.org_id, user_id: 'operator', name: 'operator' };
  return families.update(operator, familyId, { settings: { approval } });
};

/** Lets keys approve, or takes that right from them, as the operator does. */
export const allowApi = (key: string, familyId: string, allow_api = true): Promise<Family> =>
  grantApproval(key, familyId, { allow_api });

interface GivenFamily {
  settings?: { approval?: Partial<Approval> };
}

/** A family with its first draft. The operator grants the rights of approval that the body has. */
export const draftedFamily = async (key: string, body: object = {}): Promise<Family> => {
  const given = body as GivenFamily;
  const { approver_ids, ...rights } = given.settings?.approval ?? {};
  const settings = { ...given.settings, approval: { ...(approver_ids && { approver_ids }) } };
  const family = await as(key).families.create({
    body: { name: 'Crane', content: CONTENT, ...body, settings },
  });
  return Object.keys(rights).length > 0 ? grantApproval(key, family.id, rights) : family;
};

export const publish = (key: string, templateId: string) =>
  as(key).versions.publishTemplate({ params: { template_id: templateId } });

/** A family whose version 1 is published. Its other fields are as they were before it was published. */
export const publishedFamily = async (
  key: string,
  body: object = {},
): Promise<Family & { template_id: string }> => {
  const family = await draftedFamily(key, body);
  await publish(key, family.draft_version_id!);
  return { ...family, template_id: family.draft_version_id! };
};

/** A source of options, as a sync leaves it. */
export const newList = async ({ caller }: Person, ...labels: string[]): Promise<string> => {
  const source: StoredSource = newResource(workOf(caller), {
    connection_id: uuidv7(),
    vendor: 'monday' as const,
    name: 'List',
    target_ref: 'response_sets' as const,
    board_id: '1',
    board_name: 'List',
    group_ids: [],
    level: 'item' as const,
    identity_column: null,
    mappings: { label: 'name' },
    value_maps: {},
    on_missing: 'deactivate' as const,
    schedule_minutes: null,
    is_paused: true,
    created_by: caller.user_id,
  });
  const { id, created_at } = source;
  const item = (label: string) => ({
    external_id: label,
    item_id: label,
    target_ref: source.target_ref,
    resource_id: uuidv7(),
    hash: label,
    is_active: true,
    run_id: uuidv7(),
    outcome: 'created' as const,
    option: { label, value: label, color: null, score: null, is_failed: false },
    updated_at: created_at,
  });
  await change(caller, () => ({
    writes: [
      write.create({ ...source, ...keys.one(caller, 'SOURCE', id) }),
      write.create({ changed_at: created_at, ...keys.syncedList(caller, id) }),
      ...labels.map((label) => write.create({ ...item(label), ...keys.syncedItem(caller, id, label) })),
    ],
    reply: undefined,
  }));
  return id;
};

/** A content with a choice field whose options are those of a source. */
export const listedContent = (source_id: string) => ({
  ...contentWith(field(2, 'single_select', { response_set_id: uuid(50) })),
  response_sets: [{ id: uuid(50), name: 'Bays', options: [], source_id }],
});

/** The draft of the version after the published one. */
export const nextDraft = (key: string, familyId: string): Promise<Template> =>
  as(key).versions.openDraft({ params: { family_id: familyId } });

/** A family with `count` published versions. */
export const familyOfVersions = async (key: string, count: number): Promise<Family> => {
  const family = await publishedFamily(key);
  for (let version = 2; version <= count; version += 1) {
    await publish(key, (await nextDraft(key, family.id)).id);
  }
  return family;
};

export const newLayout = (key: string, familyId: string, body: object = {}): Promise<ReportLayout> =>
  as(key).reportLayouts.create({
    params: { family_id: familyId },
    body: { name: 'Client', ...body },
  });

/** Four grey pixels. */
const PIXELS = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADklEQVQImWPoAAMGCAUALK4GYSSeFPoAAAAASUVORK5CYII=',
  'base64',
);

/** A document that is a picture. */
export const newPicture = async (key: string): Promise<string> => {
  const form = new FormData();
  form.set('title', 'Logo');
  form.set('file', new File([PIXELS], 'logo.png'));
  const { id } = await as(key).documents.create({ form });
  return id;
};
