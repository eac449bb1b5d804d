import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isApiError } from '../sdk/src/errors.ts';
import type { Api } from './client.ts';

/** How long between two looks for the event, in milliseconds. */
const PAUSE = 250;

/** Runs one step of the job, and says how long it took. */
export type Step = <Result>(name: string, run: () => Promise<Result>) => Promise<Result>;

/** Takes back what a step has made. */
export type Undo = (api: Api) => Promise<unknown>;

/** What the job is given: a client, and whom it tells of its steps and of what is to be taken back. */
interface Smoke {
  api: Api;
  step: Step;
  onMade: (what: string, undo: Undo) => void;
}

/** Something is not as it must be, although every request was answered. */
export class UnexpectedReply extends Error {}

/** @throws UnexpectedReply */
const expect = (holds: boolean, otherwise: string): void => {
  if (!holds) throw new UnexpectedReply(otherwise);
};

/** Deletes, or does the second best where the service keeps what holds work. */
const deleted = async (remove: Promise<unknown>, otherwise: () => Promise<unknown>): Promise<unknown> => {
  try {
    return await remove;
  } catch (error) {
    if (isApiError(error) && error.status === 409) return otherwise();
    throw error;
  }
};

/** The number of the organization's last event; 0 when there is none. */
const lastSequence = async (api: Api): Promise<number> => {
  const [last] = await api.listEvents({ query: { newest_first: true, limit: 1 } });
  return last?.sequence ?? 0;
};

/** Waits for the event that a report is ready. The time limit of the client ends it. */
const readyEvent = async (api: Api, reportId: string, after: number): Promise<void> => {
  const query = { after, types: ['report.ready'], resource_id: reportId, limit: 1 };
  while ((await api.listEvents({ query })).length === 0) await sleep(PAUSE);
};

const SECTION = randomUUID();
const CHECK = randomUUID();
const NOTE = randomUUID();

const CONTENT = {
  sections: [
    {
      id: SECTION,
      title: 'Smoke test',
      fields: [
        { id: CHECK, type: 'pass_fail_na', label: 'Does it work?', required: true },
        { id: NOTE, type: 'text', label: 'Remarks' },
      ],
    },
  ],
};

/** Makes a location and a published template. @returns the ids of the location and of the family */
const setUp = async ({ api, step, onMade }: Smoke, name: string) => {
  const location = await step('location', () => api.createLocation({ body: { name } }));
  const ofLocation = { path: { location_id: location.id } };
  onMade('location', (undoing) =>
    deleted(undoing.deleteLocation(ofLocation), () =>
      undoing.updateLocation({ ...ofLocation, body: { status: 'inactive' } }),
    ),
  );
  const family = await step('template family', () => api.createFamily({ body: { name, content: CONTENT } }));
  const ofFamily = { path: { family_id: family.id } };
  onMade('template family', (undoing) =>
    deleted(undoing.deleteFamily(ofFamily), () => undoing.archiveFamily(ofFamily)),
  );
  await step('publication', () => api.publishTemplate({ path: { template_id: family.draft_version_id } }));
  return { location_id: location.id, template_family_id: family.id };
};

/** Carries out an inspection to its end. @returns its id */
const inspect = async (
  { api, step, onMade }: Smoke,
  name: string,
  place: { location_id: string; template_family_id: string },
): Promise<string> => {
  const { id } = await step('inspection', async () => {
    const { id: user_id } = await api.getMyProfile();
    return api.createInspection({ body: { ...place, name, participants: [{ user_id, role: 'inspector' }] } });
  });
  const path = { inspection_id: id };
  onMade('inspection', (undoing) =>
    deleted(undoing.deleteInspection({ path }), () => undoing.archiveInspection({ path })),
  );
  await step('start', () => api.startInspection({ path }));
  await step('answers', async () => {
    const responses = [
      { section_id: SECTION, field_id: CHECK, value: 'pass' },
      { section_id: SECTION, field_id: NOTE, value: name },
    ];
    const { results } = await api.saveAnswers({ path, body: { responses } });
    expect(
      results.every(({ status }) => status === 'saved'),
      `an answer was not saved: ${JSON.stringify(results)}`,
    );
  });
  await step('completion', async () => {
    const { status } = await api.advanceInspection({ path });
    expect(status === 'completed', `the inspection is ${status}`);
  });
  return id;
};

/**
 * The main job of the service from one end to the other: a location, a published template, an inspection with answers,
 * its report as a PDF, and the event that says so.
 * @throws ApiError, ConnectionError, FailedError or UnexpectedReply of the step that fails
 */
export const doMainJob = async (smoke: Smoke): Promise<void> => {
  const { api, step } = smoke;
  const name = `Smoke test ${randomUUID()}`;
  const after = await step('key', async () => {
    await api.getOrganization();
    return lastSequence(api);
  });
  const inspectionId = await inspect(smoke, name, await setUp(smoke, name));
  const report = await step('report', async () => {
    const { id } = await api.createReport({ path: { inspection_id: inspectionId }, body: {} });
    await api.wait(() => api.getReport({ path: { report_id: id } }));
    return id;
  });
  await step('file', async () => {
    const path = { report_id: report };
    const { id } = await api.createReportExport({ path, body: { format: 'pdf' } });
    const read = () => api.getReportExport({ path: { ...path, export_id: id } });
    await api.wait(read);
    const file = await api.download((await read()).url!);
    expect((await file.slice(0, 4).text()) === '%PDF', 'the file of the report is no PDF');
  });
  await step('event', () => readyEvent(api, report, after));
};
