import { type Client, DemoError, uploadDocument } from './client.ts';
import type { Form } from './form-3a.ts';
import { drawSignature, takePhoto } from './photos.ts';

interface Violation {
  note: string;
  /** One for each photo. */
  captions: string[];
}

/** What an inspector finds on one visit. All items that it does not name are in compliance. */
export interface Visit {
  /** By the number of the item. */
  violations: Record<number, Violation>;
  /** Numbers of items. */
  notObserved: readonly number[];
  notApplicable: readonly number[];
  /** In °C, by place, and whether this is within the limit. */
  temperatures: readonly (readonly [place: string, celsius: number, isSafe: boolean])[];
  remarks: string;
}

const NOT_OBSERVED = [19, 20, 35];
const NOT_APPLICABLE = [14, 26, 29, 30, 32];

/** A visit without photos, some time ago. */
export const FORMER_VISIT: Visit = {
  violations: Object.fromEntries(
    [
      [8, 'Handwashing sink blocked by crates; staff did not wash hands between tasks.'],
      [15, 'Raw chicken stored above ready-to-eat food.'],
      [16, 'Slicer not cleaned since the day before.'],
      [23, 'No date marks on opened sauces.'],
      [36, 'No thermometer in the walk-in cooler.'],
      [38, 'Flies in the preparation room; door screen missing.'],
      [47, 'Cutting boards deeply scored.'],
      [49, 'Grease on the hood and on shelves.'],
      [55, 'Missing floor tiles by the dish machine.'],
    ].map(([number, note]) => [number, { note, captions: [] }]),
  ),
  notObserved: NOT_OBSERVED,
  notApplicable: NOT_APPLICABLE,
  temperatures: [
    ['Walk-in cooler, raw chicken', 4.1, true],
    ['Steam table, tomato soup', 63.2, true],
  ],
  remarks: 'Follow-up visit agreed with the person in charge.',
};

/** The visit that the demo reports. */
export const PRESENT_VISIT: Visit = {
  violations: {
    15: {
      note: 'Raw shell eggs stored above sliced tomatoes in the reach-in cooler.',
      captions: ['Reach-in cooler, second shelf'],
    },
    22: {
      note: 'Cut melon at 9.4 °C in the preparation cooler (limit 5 °C). Food discarded, cooler taken out of service.',
      captions: ['Preparation cooler', 'Cooler thermostat', 'Discarded food'],
    },
    28: {
      note: 'Unlabelled spray bottle with degreaser beside the bread oven.',
      captions: ['Shelf by the oven'],
    },
    38: {
      note: 'Droppings below the dry-storage rack; pest control contract lapsed in May.',
      captions: ['Dry storage'],
    },
    55: { note: 'Missing floor tiles by the dish machine; standing water.', captions: ['Dish area'] },
  },
  notObserved: NOT_OBSERVED,
  notApplicable: NOT_APPLICABLE,
  temperatures: [
    ['Walk-in cooler, raw chicken', 3.2, true],
    ['Preparation cooler, cut melon', 9.4, false],
    ['Steam table, tomato soup', 67.5, true],
    ['Freezer, ice cream', -18.4, true],
  ],
  remarks:
    'Ο διευθυντής ενημερώθηκε. Персонал пройшов інструктаж. Świadek: Łukasz Żółć. Müdür: Çağrı Öztürk.\nRe-inspection within ten days; the preparation cooler stays out of service until then.',
};

/** An answer as `PUT …/responses/batch` takes it. */
export interface Answer {
  section_id: string;
  field_id: string;
  value: unknown;
  instance_index?: number;
  note?: string;
  media?: { document_id: string; caption: string }[];
}

/** Saves all answers with one request, like an app that was offline. @throws DemoError for one that is not saved */
export const saveAnswers = async (
  api: Client,
  inspectionId: string,
  responses: readonly Answer[],
): Promise<void> => {
  const { results } = await api.put<{ results: { status: string; detail?: unknown }[] }>(
    `/inspections/${inspectionId}/responses/batch`,
    { responses },
  );
  const refused = results.find(({ status }) => status !== 'saved' && status !== 'unchanged');
  if (refused) throw new DemoError(`an answer was not saved: ${JSON.stringify(refused.detail)}`);
};

/** Takes a photo, and uploads it. @returns the document's id, and the size of the photo in bytes */
export const uploadPhoto = async (
  api: Client,
  { seed, caption, isTidy = false }: { seed: number; caption: string; isTidy?: boolean },
): Promise<{ document_id: string; size: number }> => {
  const bytes = await takePhoto({ seed, isTidy, takenAt: new Date() });
  const name = `IMG_${1_000 + seed}.jpg`;
  const document_id = await uploadDocument(api, { name, type: 'image/jpeg', bytes, title: caption });
  return { document_id, size: bytes.length };
};

const statusOf = (number: number, { violations, notObserved, notApplicable }: Visit): string => {
  if (violations[number]) return 'out';
  if (notObserved.includes(number)) return 'no';
  return notApplicable.includes(number) ? 'na' : 'in';
};

const itemAnswers = async (
  api: Client,
  items: Form['items'],
  visit: Visit,
  print: (line: string) => void,
): Promise<Answer[]> => {
  const answers: Answer[] = [];
  let seed = 0;
  for (const { number, section_id, field_id } of items) {
    const { note = '', captions = [] } = visit.violations[number] ?? {};
    const media = [];
    for (const caption of captions) {
      seed += 1;
      const { document_id, size } = await uploadPhoto(api, { seed, caption });
      print(`  item ${number}: photo of 12 megapixels, ${(size / 1e6).toFixed(1)} MB: ${caption}`);
      media.push({ document_id, caption });
    }
    answers.push({ section_id, field_id, value: statusOf(number, visit), note, media });
  }
  return answers;
};

const temperatureAnswers = (
  { section_id, item_id, temperature_id, is_safe_id }: Form['temperatures'],
  { temperatures }: Visit,
): Answer[] =>
  temperatures.flatMap(([place, celsius, isSafe], instance_index) => [
    { section_id, field_id: item_id, value: place, instance_index },
    { section_id, field_id: temperature_id, value: celsius, instance_index },
    { section_id, field_id: is_safe_id, value: isSafe, instance_index },
  ]);

/** Draws and uploads the two signatures. */
const signatures = async (
  api: Client,
  { section_id, person_in_charge_id, inspector_id }: Form['closing'],
  inspector: string,
): Promise<Answer[]> => {
  const signed_at = new Date().toISOString();
  const answers: Answer[] = [];
  for (const { field_id, name, seed } of [
    { field_id: person_in_charge_id, name: 'Maria Papadopoulou', seed: 3 },
    { field_id: inspector_id, name: inspector, seed: 8 },
  ]) {
    const document_id = await uploadDocument(api, {
      name: `signature-${seed}.png`,
      type: 'image/png',
      bytes: await drawSignature(seed),
      title: `Signature of ${name}`,
    });
    answers.push({ section_id, field_id, value: { document_id, signed_name: name, signed_at } });
  }
  return answers;
};

/** Answers the whole form as an inspector does on this visit, and signs it. */
export const answerForm = async (
  api: Client,
  inspectionId: string,
  { items, temperatures, closing }: Form,
  { visit, inspector, print }: { visit: Visit; inspector: string; print: (line: string) => void },
): Promise<void> => {
  const { section_id, remarks_id } = closing;
  await saveAnswers(api, inspectionId, [
    ...(await itemAnswers(api, items, visit, print)),
    ...temperatureAnswers(temperatures, visit),
    { section_id, field_id: remarks_id, value: visit.remarks },
    ...(await signatures(api, closing, inspector)),
  ]);
};
