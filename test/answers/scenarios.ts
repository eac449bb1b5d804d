import { newClient, newInspection, newLocation, startedInspection } from '../inspections/fixtures.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { drain } from '../support/drain.ts';
import type { Person } from '../support/people.ts';
import type { Scenarios } from '../support/scenarios.ts';
import {
  answering,
  CHECK,
  DOOR,
  DOOR_STATE,
  edited,
  findingsOf,
  newDocument,
  PHOTO,
  RAIL,
  reserved,
  ROOM,
  ROOM_NAME,
  saved,
  SECTION,
  TEXT,
  UNIT,
  UNIT_PLACE,
  UNITS,
} from './fixtures.ts';
import { crowdedInspection, HIDING, HIDES, hideable, hides, hidingInspection, roomHides } from './hiding.ts';

const of = ({ id }: { id: string }) => ({ params: { inspection_id: id } });

/** An inspection in which the rail has failed. */
const failing = async (person: Person) => {
  const inspection = await answering(person);
  await saved(person, inspection, { field_id: RAIL, value: 'fail' });
  return of(inspection);
};

/** The same, after somebody has worked on the finding. */
const worked = async (person: Person) => {
  const request = await failing(person);
  await workOnFinding(person, request);
  return request;
};

/** An answer in a room that the client has added. */
const HALL = { section_id: ROOM, field_id: ROOM_NAME, client_instance_id: 'room-1', value: 'Hall' };

/** An inspection with one answer. */
const answered = async (person: Person) => {
  const inspection = await answering(person);
  await saved(person, inspection, { field_id: TEXT, value: 'a' });
  return of(inspection);
};

const workOnFinding = async (person: Person, { params }: ReturnType<typeof of>) => {
  const [finding] = await findingsOf(person, { id: params.inspection_id });
  await edited(person, finding!);
};

/** A failed rail creates a finding with an action. */
const MENDING = {
  content: contentWith(
    field(4, 'pass_fail_na', { finding: { create: 'auto', corrective_action: { title: 'Mend it' } } }),
  ),
};

const option = (value: string, finding_severity: string) => ({
  value,
  label: value,
  is_failed: true,
  finding_severity,
});

/** The options of a failed rail give the finding its severity, and the action its due date. */
const GRADED = {
  content: contentWith(
    field(4, 'multi_select', {
      options: [option('dust', 'minor'), option('crack', 'critical')],
      finding: {
        create: 'auto',
        corrective_action: { title: 'Mend it', due_by_severity: { critical: 'PT24H', minor: 'P30D' } },
      },
    }),
  ),
};

const dusty = { section_id: SECTION, field_id: RAIL, value: ['dust'] };
const cracked = { ...dusty, value: ['dust', 'crack'] };

/** An inspection at a location, in which the rail is dusty. */
const graded = async (person: Person) => {
  const { id: location_id } = await newLocation(person);
  const inspection = await answering(person, { family: GRADED, location_id });
  await saved(person, inspection, dusty);
  return of(inspection);
};

/** A room with an answer, and in it a failed door with a photo. */
const furnished = async (person: Person) => {
  const inspection = await answering(person);
  const path = `${ROOM}[0]`;
  await saved(person, inspection, {
    section_id: ROOM,
    field_id: ROOM_NAME,
    instance_path: path,
    value: 'Hall',
  });
  await saved(person, inspection, {
    section_id: DOOR,
    field_id: DOOR_STATE,
    instance_path: `${path}/${DOOR}[0]`,
    value: 'no',
    media: [{ document_id: await newDocument(person) }],
  });
  return { ...of(inspection), query: { instance_path: path } };
};

/** A room that is only reserved. */
const planned = async (person: Person) => {
  const inspection = await answering(person);
  const { instance_path } = await reserved(person, inspection, 'hall');
  return { ...of(inspection), query: { instance_path } };
};

const mended = { section_id: SECTION, field_id: RAIL, value: 'pass' };

const photo = async (person: Person) => ({
  section_id: SECTION,
  field_id: PHOTO,
  value: [{ document_id: await newDocument(person), caption: 'North' }],
});

const failed = { section_id: SECTION, field_id: RAIL, value: 'fail' };

/** An inspection that has taken over a failed rail. */
const prefilled = async (person: Person, body: Record<string, unknown> = {}) => {
  const earlier = await answering(person, body);
  await saved(person, earlier, { field_id: RAIL, value: 'fail' });
  return of(
    await newInspection(person, {
      template_family_id: earlier.template_family_id,
      prefill_from_inspection_id: earlier.id,
    }),
  );
};

/** An inspection with a failed answer, and with one that it has taken over and that hides the failed one once confirmed. */
const hidingPrefilled = async (person: Person) => {
  const earlier = await answering(person, { family: { content: HIDING } });
  await saved(person, earlier, hides(true));
  const inspection = await newInspection(person, {
    template_family_id: earlier.template_family_id,
    prefill_from_inspection_id: earlier.id,
  });
  await saved(person, inspection, hideable);
  return inspection;
};

const SIGNATURE = { section_id: SECTION, field_id: uuid(3) };

/** A link by which a witness signs. */
const withSignatureLink = async (person: Person) => {
  const content = contentWith(field(2), field(3, 'signature'));
  const { params } = of(await startedInspection(person, { family: { content } }));
  const { id } = await person.answers.createSignatureLink({ params, body: { ...SIGNATURE, name: 'Wanda' } });
  return { params: { ...params, signature_link_id: id } };
};

const withSignatureLinks = async (person: Person) => {
  const { inspection_id } = (await withSignatureLink(person)).params;
  return { params: { inspection_id } };
};

export const scenarios: Scenarios = {
  createSignatureLink: [
    async (person) => ({
      ...(await withSignatureLinks(person)),
      body: { ...SIGNATURE, name: 'Wanda Witness', email: 'wanda@client.example' },
    }),
  ],
  listSignatureLinks: [
    withSignatureLinks,
    async (person) => ({ ...(await withSignatureLinks(person)), query: { limit: 1 } }),
  ],
  revokeSignatureLink: [withSignatureLink],
  confirmAnswers: [
    async (person) => ({ ...(await prefilled(person)), body: {} }),
    async (person) => ({ ...(await prefilled(person)), body: { section_id: SECTION, field_ids: [RAIL] } }),
    async (person) => ({ ...(await prefilled(person, { family: MENDING })), body: {} }),
    async (person) => ({ ...of(await hidingPrefilled(person)), body: { field_ids: [HIDES] } }),
    async (person) => {
      const inspection = await hidingPrefilled(person);
      await workOnFinding(person, of(inspection));
      return { ...of(inspection), body: { field_ids: [HIDES] } };
    },
  ],
  createInstance: [
    async (person) => ({
      ...of(await answering(person)),
      body: { section_id: ROOM, parent_path: '', client_instance_id: 'hall' },
    }),
    async (person) => {
      const { params, query } = await furnished(person);
      return {
        params,
        body: { section_id: DOOR, parent_path: query.instance_path, client_instance_id: 'front-door' },
      };
    },
  ],
  deleteInstance: [
    furnished,
    planned,
    async (person) => {
      const request = await furnished(person);
      await workOnFinding(person, request);
      return request;
    },
    async (person) => ({
      ...of(await hidingInspection(person, [roomHides])),
      query: { instance_path: roomHides.instance_path },
    }),
  ],
  listAnswers: [
    async (person) => of(await answering(person)),
    failing,
    async (person) => ({ ...(await failing(person)), query: { section_id: SECTION, limit: 1 } }),
  ],
  listFamilyAnswers: [
    async (person) => {
      const { id, template_family_id } = await answering(person, {
        client_account_id: (await newClient(person)).id,
      });
      await saved(person, { id }, { section_id: ROOM, field_id: ROOM_NAME, value: 'Hall' });
      return { query: { template_family_id } };
    },
    async (person) => {
      const inspection = await answering(person, { family: { content: UNITS } });
      const { params } = of(inspection);
      const instance = { section_id: UNIT, instance_path: `${UNIT}[0]` };
      await saved(person, inspection, {
        ...instance,
        field_id: UNIT_PLACE,
        value: (await newLocation(person)).id,
      });
      await drain(person.caller);
      await person.answers.deleteInstance({ params, query: { instance_path: instance.instance_path } });
      await saved(person, inspection, { ...instance, field_id: CHECK, value: 'fail' });
      await drain(person.caller);
      const updated_since = new Date(0).toISOString();
      return { query: { template_family_id: inspection.template_family_id, updated_since } };
    },
  ],
  listAnswerHistory: [
    async (person) => {
      const inspection = await answering(person);
      for (const value of ['Loose', 'Tight']) {
        await saved(person, inspection, { field_id: TEXT, value });
      }
      return of(inspection);
    },
  ],
  replaceAnswer: [
    async (person) => ({ ...of(await answering(person)), body: HALL }),
    async (person) => ({
      ...(await answered(person)),
      body: { section_id: SECTION, field_id: TEXT, value: 'b' },
    }),
    async (person) => ({
      ...of(await answering(person)),
      body: { section_id: SECTION, field_id: TEXT, value: 'Rusty' },
    }),
    async (person) => ({ ...of(await answering(person)), body: failed }),
    async (person) => ({ ...of(await answering(person)), body: await photo(person) }),
    async (person) => ({ ...(await failing(person)), body: mended }),
    async (person) => ({ ...(await worked(person)), body: mended }),
    async (person) => {
      const unit = { section_id: UNIT, instance_path: `${UNIT}[1]` };
      const inspection = await answering(person, { family: { content: UNITS } });
      const { id: value } = await newLocation(person);
      await saved(person, inspection, { ...unit, field_id: UNIT_PLACE, value });
      return { ...of(inspection), body: { ...unit, field_id: CHECK, value: 'fail' } };
    },
    async (person) => ({ ...of(await answering(person, { family: GRADED })), body: dusty }),
    async (person) => ({ ...(await graded(person)), body: cracked }),
  ],
  updateAnswer: [
    async (person) => ({
      ...of(await answering(person)),
      body: { section_id: SECTION, field_id: TEXT, note: 'See the photo' },
    }),
    async (person) => ({
      ...of(await answering(person)),
      body: { ...failed, client_answered_at: '2026-03-02T09:30:00Z' },
    }),
    async (person) => ({ ...of(await answering(person, { family: MENDING })), body: failed }),
    async (person) => ({ ...of(await answering(person)), body: await photo(person) }),
    async (person) => ({ ...(await failing(person)), body: mended }),
    async (person) => ({ ...(await worked(person)), body: mended }),
    async (person) => ({ ...(await graded(person)), body: cracked }),
    async (person) => ({ ...of(await crowdedInspection(person)), body: hides(true) }),
  ],
  saveAnswers: [
    async (person) => ({ ...of(await answering(person)), body: { responses: [HALL] } }),
    async (person) => ({
      ...of(await answering(person)),
      body: { responses: [{ ...failed, client_mutation_id: 'm-1' }] },
    }),
    async (person) => ({
      ...of(await answering(person, { family: MENDING })),
      body: { responses: [failed] },
    }),
    async (person) => ({ ...(await failing(person)), body: { responses: [mended, await photo(person)] } }),
    async (person) => ({ ...(await worked(person)), body: { responses: [mended] } }),
    async (person) => ({ ...(await graded(person)), body: { responses: [cracked] } }),
  ],
};
