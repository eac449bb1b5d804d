import { idOf } from '../../infra/openapi/story.ts';
import { newDocument } from '../answers/fixtures.ts';
import type { Admin } from '../app/scenarios.ts';
import { newAsset, newAssetKind } from '../assets/scenarios.ts';
import { newClientAccount } from '../client-accounts/scenarios.ts';
import { moveThrough, newAction, newFinding } from '../corrective-actions/fixtures.ts';
import {
  advance,
  answer,
  newInspection,
  NOTHING_REQUIRED,
  startedInspection,
} from '../inspections/fixtures.ts';
import { newConnection, newSource } from '../integrations/fixtures.ts';
import { inspectionFor, newCategory, newIssue } from '../issues/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { newRegion } from '../regions/scenarios.ts';
import { draftedFamily, newLayout, publishedFamily } from '../templates/fixtures.ts';
import type { Request } from './call.ts';
import { contentWith, field, section, uuid } from './content.ts';
import { newMember, type Person } from './people.ts';
import { makeOwner, signIn } from './signed-in.ts';

/** Things that exist in place of those of the story. */
export interface World {
  /** The id of one, by the name that a property has for it. It is made when it is first asked for. */
  of: (name: string) => Promise<string>;
  /** Says which one is meant. */
  set: (name: string, id: string) => void;
  /**
   * An example with the ids of what exists, and the version that is changed.
   * @param version finds it, by the name that it has in the resource
   */
  real: (example: unknown, version: (name: string) => Promise<number>) => Promise<unknown>;
}

type Prepare = (person: Person, world: World) => Promise<Omit<Request, 'as'>>;

const at = ({ id }: { id: string }) => ({ params: { inspection_id: id } });

/** An inspection in progress of a family with this content. */
const startedWith = (person: Person, content: object) => startedInspection(person, { family: { content } });

const YES_NO = contentWith(field(2, 'yes_no', { media: { kinds: ['photo'] } }));

const ofStory = async (person: Person, world: World) =>
  newInspection(person, { template_family_id: await world.of('family_id') });

/** States in which an example can be sent, where the scenario of the operation has another one. */
export const PREPARED: Readonly<Record<string, Prepare>> = {
  createInstance: async (person) =>
    at(await startedWith(person, { sections: [section(1, [field(2)], { repeat: { max: 9 } })] })),
  createSignatureLink: async (person) => at(await startedWith(person, contentWith(field(2, 'signature')))),
  replaceAnswer: async (person) => at(await startedWith(person, YES_NO)),
  saveAnswers: async (person) => at(await startedWith(person, YES_NO)),
  updateAnswer: async (person) => at(await startedWith(person, YES_NO)),
  updateAsset: async (person, world) => ({
    params: { asset_id: (await newAsset(person, { kind_id: await world.of('kind_id') })).id },
  }),
  updateCorrectiveAction: async (person) => {
    const action = await newAction(person);
    await moveThrough(person, action, 'in_progress');
    return { params: { ca_id: action.id } };
  },
  advanceInspection: async (person) => {
    const { id: template_family_id } = await publishedFamily(person.key, {
      content: contentWith(field(2)),
      requires_approval: true,
      settings: { approval: { allow_api: true, four_eyes: false } },
    });
    return at(await advance(person.key, await startedInspection(person, { template_family_id })));
  },
  createReinspection: async (person, world) => {
    const template_family_id = await world.of('family_id');
    const inspection = await startedInspection(person, { template_family_id });
    await newFinding(person, { field_id: uuid(2) }, inspection);
    return at(await advance(person.key, inspection));
  },
  updateInspection: async (person, world) => at(await ofStory(person, world)),
  updateOwnInspection: async (person, world) =>
    at(
      await person.inspections.selfCreate({
        body: { template_family_id: await world.of('family_id') },
      }),
    ),
  updateTemplateContent: async (person) => {
    const fields = [field(2), field(3), field(4, 'photo')];
    const content = { sections: [section(1, fields, { title: 'Guard rails' })] };
    const { draft_version_id } = await draftedFamily(person.key, { content });
    return { params: { template_id: draft_version_id! } };
  },
  createReport: async (person, world) => at(await ofStory(person, world)),
  createBulkReportExport: async (person) => {
    const inspection = await startedInspection(person, { family: NOTHING_REQUIRED });
    await answer(person, inspection, uuid(2), 'fine');
    await advance(person.key, inspection);
    return {};
  },
  updateIssue: async (person) => ({ params: { issue_id: (await newIssue(person)).id } }),
  createIssueCorrectiveAction: async (person, world) => {
    const issue = await newIssue(person);
    const inspection = await inspectionFor(person, issue);
    await person.inspections.start(at(inspection));
    world.set('finding_id', (await newFinding(person, {}, inspection)).id);
    return { params: { issue_id: issue.id } };
  },
  mergeLocation: async (person, world) => {
    const { id } = await newLocation(person, { client_account_id: await world.of('client_account_id') });
    return { params: { location_id: id } };
  },
  updateLocation: async (person, world) => {
    const { id } = await newLocation(person, { client_account_id: await world.of('client_account_id') });
    return { params: { location_id: id } };
  },
  // A location that is there already cannot change its client account.
  upsertLocation: () => Promise.resolve({ params: { external_ref: 'CRANE-7' } }),
};

type PrepareAsAdmin = (admin: Admin, world: World) => Promise<Omit<Request, 'as'>>;

/** The same for operations of signed-in people alone. */
export const APP_PREPARED: Readonly<Record<string, PrepareAsAdmin>> = {
  createHandover: async (admin, world) => {
    await makeOwner(admin);
    world.set('user_id', (await signIn(admin)).userId);
    return {};
  },
};

type Make = (of: World['of']) => Promise<string>;

const START = { fields: [{ key: 'crane_type', type: 'text', label: 'Type of the crane' }] };

const QUESTION = {
  id: uuid(3),
  type: 'single_select',
  label: 'Is the pier closed off?',
  options: [{ value: 'yes', label: 'Yes' }],
};

/** How each thing is made that examples name. */
const makers = (person: Person, area: string): Readonly<Record<string, Make>> => {
  const ofClient = async (of: World['of']): Promise<string> =>
    (await newLocation(person, { client_account_id: await of('client_account_id') })).id;
  const parents: Record<string, Make> = {
    assets: async () => (await newAsset(person)).id,
    regions: async () => (await newRegion(person)).id,
    locations: ofClient,
  };
  const family = { content: { ...contentWith(field(2)), start: START } };
  const KIND_FIELD = { id: uuid(2), type: 'text', label: 'Load' };
  return {
    client_account_id: async () => (await newClientAccount(person)).id,
    location_id: ofClient,
    asset_id: async (of) => (await newAsset(person, { location_id: await of('location_id') })).id,
    kind_id: async () => (await newAssetKind(person, { fields: [KIND_FIELD] })).id,
    region_id: async () => (await newRegion(person)).id,
    family_id: async () => (await publishedFamily(person.key, family)).id,
    layout_id: async (of) => (await newLayout(person.key, await of('family_id'))).id,
    category_id: async () => (await newCategory(person, { questions: [QUESTION] })).id,
    question_id: async () => QUESTION.id,
    calendar_id: async () =>
      (await person.schedules.createHolidayCalendar({ body: { name: 'Portugal' } })).id,
    document_id: () => newDocument(person),
    inspection_id: async () => (await startedInspection(person)).id,
    finding_id: async () => (await newFinding(person)).id,
    connection_id: async () => (await newConnection(person)).id,
    source_id: async () => (await newSource(person)).id,
    section_id: async () => uuid(1),
    field_id: async () => uuid(2),
    organization_id: async () => person.caller.org_id,
    user_id: async () => (await newMember(person, 'inspector', 'Ana Silva')).user_id,
    approver_id: async () => (await newMember(person, 'approver', 'Bruno Costa')).user_id,
    parent_id: (of) => parents[area]!(of),
  };
};

/** What the vendor of the tests calls the things of a board. */
const OF_THE_VENDOR: Readonly<Record<string, string>> = {
  '1873325502': 'b',
  pier_3: 'all',
  status_1: 'kind',
  text_1: 'where',
  text_2: 'code',
};

export const newWorld = (person: Person, area: string): World => {
  const make = makers(person, area);
  const made = new Map<string, Promise<string>>();
  const of = (name: string): Promise<string> => {
    const known = made.get(name) ?? make[name]!(of);
    made.set(name, known);
    return known;
  };
  const names = new Map(Object.keys(make).map((name) => [idOf(name, ''), name]));

  const real: World['real'] = async (value, version) => {
    if (typeof value === 'string') {
      const name = names.get(value);
      return name === undefined ? (OF_THE_VENDOR[value] ?? value) : of(name);
    }
    if (typeof value !== 'object' || value === null) return value;
    const isList = Array.isArray(value);
    const parts: [string, unknown][] = [];
    for (const [key, one] of Object.entries(value))
      parts.push([
        key,
        key.startsWith('expected_') ? await version(key.replace('expected_', '')) : await real(one, version),
      ]);
    return isList ? parts.map(([, one]) => one) : Object.fromEntries(parts);
  };
  return { of, set: (name, id) => void made.set(name, Promise.resolve(id)), real };
};
