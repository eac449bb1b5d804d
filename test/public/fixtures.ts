import * as createReport from '../../functions/reports/create-report.ts';
import * as createShareLink from '../../functions/reports/create-share-link.ts';
import * as renderReport from '../../functions/workers/render-report.ts';
import * as addresses from '../../shared/db/addresses/addresses.ts';
import type { ShareLink } from '../../shared/schemas/reports/share-link.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { deliver, outboxOf } from '../support/outbox.ts';
import type { Person } from '../support/people.ts';

/** A report of a new inspection. */
export const newReport = async (
  person: Person,
  fields: Record<string, unknown> = {},
): Promise<{ id: string; inspection_id: string }> => {
  const { id: inspection_id } = await newInspection(person, fields);
  const { id } = await as(person).must.post(createReport, { params: { inspection_id } });
  return { id, inspection_id };
};

/** Renders a report that waits for it. */
export const render = async (person: Person, reportId: string): Promise<void> => {
  const task = (await outboxOf(person.caller)).find(({ data }) => data['report_id'] === reportId)!;
  if (!(await deliver(renderReport.handler, task))) throw new Error('the report was not rendered');
};

/** A link to a rendered report. */
export const newShareLink = async (
  person: Person,
  fields: Record<string, unknown> = {},
): Promise<ShareLink & { inspection_id: string; url: string }> => {
  const { id, inspection_id } = await newReport(person, fields);
  await render(person, id);
  const link = await as(person).must.post(createShareLink, { params: { report_id: id } });
  return { ...link, inspection_id };
};

/** The token of a question to an address. */
export const newQuestion = async (person: Person, address = `${crypto.randomUUID()}@client.example`) => {
  const token = await addresses.ask(person.caller, address, crypto.randomUUID());
  return { address, token: token! };
};

/** The token by which an address ends all mails. */
export const newStopLink = async (person: Person, address = `${crypto.randomUUID()}@client.example`) => ({
  address,
  token: await addresses.stopToken(person.caller, address),
});
