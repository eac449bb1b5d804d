import { randomUUID } from 'node:crypto';
import type { Client, Resource } from './client.ts';
import type { Form } from './form-3a.ts';
import { drawLogo } from './photos.ts';

export interface Inspection extends Resource {
  number: number;
  name: string;
  status: string;
  template_family_id: string;
  location_id: string;
  findings_count: number;
  score: { percentage: number | null; result: string | null } | null;
}

/** Gives the organization its logo, time zone and formats. @returns its name */
export const setUpOrganization = async (api: Client): Promise<string> => {
  const logo = new FormData();
  logo.set('file', new File([new Uint8Array(await drawLogo())], 'logo.png', { type: 'image/png' }));
  await api.post('/org/logo', logo);
  const { name } = await api.patch<{ name: string }>('/org', {
    timezone: 'Europe/Athens',
    locale: 'en-GB',
    region: 'GR',
    date_format: 'dd/MM/yyyy',
  });
  return name;
};

/** Gives the caller, who inspects in the demo, a person's name. */
export const nameInspector = (api: Client, name: string): Promise<Resource> =>
  api.patch<Resource>('/me/profile', { name });

/** Publishes the form as a template. @returns the family's id and the number of the published version */
export const publishTemplate = async (
  api: Client,
  form: Form,
): Promise<{ familyId: string; version: number }> => {
  const family = await api.post<{ id: string; draft_version_id: string }>('/templates/families', {
    name: 'Food Establishment Inspection Report',
    description: 'FDA Food Code 2022, Annex 7, Form 3-A',
    content: form.content,
  });
  const published = await api.post<{ version_number: number }>(
    `/templates/${family.draft_version_id}/publish`,
  );
  // Reports in the colours of whom they are for, with many photos on a page.
  await api.post(`/templates/families/${family.id}/report-layouts`, {
    name: 'For clients',
    is_default: true,
    theme: { client_color: true },
    photos_per_page: 6,
  });
  return { familyId: family.id, version: published.version_number };
};

/** Creates a client with a kitchen. @returns the location's id */
export const createKitchen = async (api: Client): Promise<string> => {
  const client = await api.post<Resource>('/client-accounts', {
    name: 'Ταβέρνα «Το Λιμάνι»',
    brand_primary: '187 100% 24%',
    contact: { name: 'Maria Papadopoulou', email: 'maria@example.com' },
  });
  const location = await api.post<Resource>('/locations', {
    name: 'Harbour kitchen',
    client_account_id: client.id,
    timezone: 'Europe/Athens',
    address: 'Ακτή Μιαούλη 12\n185 38 Πειραιάς',
    lat: 37.942056,
    lng: 23.646444,
  });
  return location.id;
};

interface Category extends Resource {
  name: string;
  questions: Resource[];
}

/** What anybody may report. The demo may run again, and two categories have no name in common. */
const CATEGORY = {
  name: 'Something is wrong in the kitchen',
  description: 'Tell us what you have seen. It takes a minute, and you need no account.',
  questions: [{ id: randomUUID(), label: 'Is anyone in danger?', type: 'yes_no', required: true }],
};

/**
 * Lets anybody report an issue in the kitchen, and reports one as a member.
 * @returns the address of the form, and the id of the issue
 */
export const openIssueForm = async (
  api: Client,
  location_id: string,
): Promise<{ url: string; issueId: string }> => {
  const categories = await api.get<Category[]>('/issue-categories');
  const category =
    categories.find(({ name }) => name === CATEGORY.name) ??
    (await api.post<Category>('/issue-categories', CATEGORY));
  const category_id = category.id;
  const answers = category.questions.map((question) => ({ question_id: question.id, value: false }));
  const title = 'The drain by the door smells';
  const { id: issueId } = await api.post<Resource>('/issues', { category_id, location_id, title, answers });
  const path = `/issue-categories/${category_id}/public-links`;
  const { url } = await api.post<{ url: string }>(path, { label: 'Back door', location_id });
  return { url, issueId };
};

interface Schedule extends Resource {
  /** When it falls due, in words. */
  description: string;
}

/** Has the kitchen inspected again a year after the last inspection that passed. */
export const planInspections = (
  api: Client,
  { template_family_id, location_id }: Inspection,
): Promise<Schedule> => {
  const inAWeek = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  return api.post<Schedule>('/inspection-schedules', {
    title: 'Yearly food safety inspection',
    template_family_id,
    location_ids: [location_id],
    recurrence: { dtstart_local: `${inAWeek}T09:00`, timezone: 'Europe/Athens' },
    after: { of: 'pass', every: 'P12M' },
  });
};

/** Creates an inspection of the kitchen, which one inspector carries out, and starts it. */
export const startInspection = async (
  api: Client,
  {
    familyId,
    locationId,
    inspectorId,
    purpose,
  }: { familyId: string; locationId: string; inspectorId: string; purpose: string },
): Promise<Inspection> => {
  const { id } = await api.post<Inspection>('/inspections', {
    template_family_id: familyId,
    location_id: locationId,
    name: `${purpose} food safety inspection`,
    participants: [{ user_id: inspectorId, role: 'inspector' }],
    start_answers: {
      permit_number: 'GR-2026-0417',
      purpose,
      establishment_type: 'Restaurant',
      risk_category: 3,
    },
  });
  return api.post<Inspection>(`/inspections/${id}/start`);
};

/** A member of the organization who can inspect. */
export interface Member {
  user_id: string;
  name: string;
  role: string;
}

/** An inspector of the organization who is a person, or the caller's own identity where there is none. */
export const inspectorOf = async (api: Client): Promise<Member> => {
  const members = await api.get<Member[]>('/members/assignable');
  return members.find(({ role }) => role === 'inspector') ?? members[0]!;
};
