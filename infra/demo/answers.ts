import { type Client, uploadDocument } from './client.ts';
import type { Form, FormItem } from './form-3a.ts';
import { drawSignature, takePhoto } from './photos.ts';

interface Violation {
  note: string;
  /** One for each photo. */
  captions: string[];
}

/** The items that are not in compliance, by number. */
const VIOLATIONS: Record<number, Violation> = {
  8: {
    note: 'Line cook handled raw chicken and then ready-to-eat salad without washing hands. Corrected on site: hands washed, salad discarded.',
    captions: ['Preparation line at 11:40', 'Salad station'],
  },
  15: {
    note: 'Raw shell eggs stored above sliced tomatoes in the reach-in cooler.',
    captions: ['Reach-in cooler, second shelf'],
  },
  22: {
    note: 'Cut melon at 9.4 °C and cooked rice at 11.2 °C in the preparation cooler (limit 5 °C). Food discarded, cooler taken out of service.',
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
};

/** Numbers of items. All that are in none of these tables are in compliance. */
const NOT_OBSERVED = new Set([19, 20, 35]);
const NOT_APPLICABLE = new Set([14, 26, 29, 30, 32]);

/** In °C, by place. */
const TEMPERATURES: [string, number][] = [
  ['Walk-in cooler, raw chicken', 3.2],
  ['Preparation cooler, cut melon', 9.4],
  ['Preparation cooler, cooked rice', 11.2],
  ['Steam table, tomato soup', 67.5],
  ['Freezer, ice cream', -18.4],
];

const SIGNATURES = [
  { field: 'person_in_charge_id', name: 'Maria Papadopoulou', seed: 3 },
  { field: 'inspector_id', name: 'Łukasz Żółć', seed: 8 },
] as const;

/** Saves one answer of the inspection. */
type Save = (section_id: string, field_id: string, value: unknown, more?: object) => Promise<unknown>;

const statusOf = (number: number): string => {
  if (VIOLATIONS[number]) return 'out';
  if (NOT_OBSERVED.has(number)) return 'no';
  return NOT_APPLICABLE.has(number) ? 'na' : 'in';
};

/** Takes and uploads a violation's photos. @param first the number of the first photo */
const uploadPhotos = async (api: Client, { captions }: Violation, first: number) => {
  const media = [];
  for (const [index, caption] of captions.entries()) {
    const photo = first + index;
    const bytes = await takePhoto(photo);
    const name = `IMG_${1000 + photo}.jpg`;
    const document_id = await uploadDocument(api, { name, type: 'image/jpeg', bytes, title: caption });
    media.push({ document_id, caption, megabytes: bytes.length / 1e6 });
  }
  return media;
};

const answerItems = async (
  api: Client,
  save: Save,
  items: readonly FormItem[],
  print: (line: string) => void,
): Promise<void> => {
  let photos = 0;
  for (const { number, section_id, field_id } of items) {
    const violation = VIOLATIONS[number];
    if (!violation) {
      await save(section_id, field_id, statusOf(number), { note: '' });
      continue;
    }
    const uploaded = await uploadPhotos(api, violation, photos + 1);
    photos += uploaded.length;
    for (const { caption, megabytes } of uploaded)
      print(`  item ${number}: photo of 12 megapixels, ${megabytes.toFixed(1)} MB: ${caption}`);
    const media = uploaded.map(({ document_id, caption }) => ({ document_id, caption }));
    await save(section_id, field_id, statusOf(number), { note: violation.note, media });
  }
};

const answerTemperatures = async (
  save: Save,
  { section_id, item_id, temperature_id }: Form['temperatures'],
): Promise<void> => {
  for (const [instance_index, [item, celsius]] of TEMPERATURES.entries()) {
    await save(section_id, item_id, item, { instance_index });
    await save(section_id, temperature_id, celsius, { instance_index });
  }
};

const sign = async (api: Client, save: Save, closing: Form['closing']): Promise<void> => {
  const signed_at = new Date().toISOString();
  for (const { field, name, seed } of SIGNATURES) {
    const document_id = await uploadDocument(api, {
      name: `signature-${seed}.png`,
      type: 'image/png',
      bytes: await drawSignature(seed),
      title: `Signature of ${name}`,
    });
    await save(closing.section_id, closing[field], { document_id, signed_name: name, signed_at });
  }
};

/** Answers the whole form as the inspector of a kitchen with some violations, and signs it. */
export const answerForm = async (
  api: Client,
  inspectionId: string,
  { items, temperatures, closing }: Form,
  print: (line: string) => void,
): Promise<void> => {
  const save: Save = (section_id, field_id, value, more = {}) =>
    api.put(`/inspections/${inspectionId}/responses`, { section_id, field_id, value, ...more });

  await answerItems(api, save, items, print);
  await answerTemperatures(save, temperatures);
  await save(
    closing.section_id,
    closing.remarks_id,
    'Ο διευθυντής ενημερώθηκε. Персонал пройшов інструктаж. Świadek: Łukasz Żółć. Müdür: Çağrı Öztürk.\nRe-inspection within ten days; the preparation cooler stays out of service until then.',
  );
  await sign(api, save, closing);
};
