import { v7 as uuidv7 } from 'uuid';

/**
 * The items of the Food Establishment Inspection Report: FDA Food Code 2022, Annex 7, Form 3-A. Items 1 to 29 are
 * foodborne illness risk factors and public health interventions. The others are good retail practices.
 */
const RISK_FACTORS: Record<string, string[]> = {
  Supervision: [
    'Person in charge present, demonstrates knowledge, and performs duties',
    'Certified Food Protection Manager',
  ],
  'Employee Health': [
    'Management, food employee and conditional employee; knowledge, responsibilities and reporting',
    'Proper use of restriction and exclusion',
    'Procedures for responding to vomiting and diarrheal events',
  ],
  'Good Hygienic Practices': [
    'Proper eating, tasting, drinking, or tobacco use',
    'No discharge from eyes, nose, and mouth',
  ],
  'Preventing Contamination by Hands': [
    'Hands clean and properly washed',
    'No bare hand contact with ready-to-eat food or a pre-approved alternative procedure properly followed',
    'Adequate handwashing sinks, properly supplied and accessible',
  ],
  'Approved Source': [
    'Food obtained from approved source',
    'Food received at proper temperature',
    'Food in good condition, safe, and unadulterated',
    'Required records available: shellstock tags, parasite destruction',
  ],
  'Protection from Contamination': [
    'Food separated and protected',
    'Food-contact surfaces: cleaned and sanitized',
    'Proper disposition of returned, previously served, reconditioned, and unsafe food',
  ],
  'Time/Temperature Control for Safety': [
    'Proper cooking time and temperatures',
    'Proper reheating procedures for hot holding',
    'Proper cooling time and temperature',
    'Proper hot holding temperatures',
    'Proper cold holding temperatures',
    'Proper date marking and disposition',
    'Time as a Public Health Control: procedures and records',
  ],
  'Consumer Advisory': ['Consumer advisory provided for raw or undercooked food'],
  'Highly Susceptible Populations': ['Pasteurized foods used; prohibited foods not offered'],
  'Food/Color Additives and Toxic Substances': [
    'Food additives: approved and properly used',
    'Toxic substances properly identified, stored, and used',
  ],
  'Conformance with Approved Procedures': ['Compliance with variance, specialized process, and HACCP plan'],
};

const GOOD_RETAIL_PRACTICES: Record<string, string[]> = {
  'Safe Food and Water': [
    'Pasteurized eggs used where required',
    'Water and ice from approved source',
    'Variance obtained for specialized processing methods',
  ],
  'Food Temperature Control': [
    'Proper cooling methods used; adequate equipment for temperature control',
    'Plant food properly cooked for hot holding',
    'Approved thawing methods used',
    'Thermometers provided and accurate',
  ],
  'Food Identification': ['Food properly labeled; original container'],
  'Prevention of Food Contamination': [
    'Insects, rodents, and animals not present',
    'Contamination prevented during food preparation, storage, and display',
    'Personal cleanliness',
    'Wiping cloths: properly used and stored',
    'Washing fruits and vegetables',
  ],
  'Proper Use of Utensils': [
    'In-use utensils: properly stored',
    'Utensils, equipment, and linens: properly stored, dried, and handled',
    'Single-use and single-service articles: properly stored and used',
    'Gloves used properly',
  ],
  'Utensils, Equipment and Vending': [
    'Food and non-food contact surfaces cleanable, properly designed, constructed, and used',
    'Warewashing facilities: installed, maintained, and used; test strips',
    'Non-food contact surfaces clean',
  ],
  'Physical Facilities': [
    'Hot and cold water available; adequate pressure',
    'Plumbing installed; proper backflow devices',
    'Sewage and waste water properly disposed',
    'Toilet facilities: properly constructed, supplied, and cleaned',
    'Garbage and refuse properly disposed; facilities maintained',
    'Physical facilities installed, maintained, and clean',
    'Adequate ventilation and lighting; designated areas used',
  ],
};

/** The items whose violation fails the whole inspection: clean hands and cold holding. */
const CRITICAL = new Set([8, 22]);

/** The corrective actions that a violation of these items starts. */
const CORRECTIVE_ACTIONS: Record<number, object> = {
  22: { title: 'Repair the preparation cooler', due_in_days: 3, priority: 'critical' },
  38: { title: 'Renew the pest control contract', due_in_days: 10, priority: 'high' },
};

/** In percent, of the whole form and of the risk factors. */
const PASSING_SCORE = 85;
const PASSING_SCORE_OF_RISK_FACTORS = 90;

/** The parts of the form: items by section, with the severity of a violation. */
const PARTS = [
  {
    title: 'Foodborne Illness Risk Factors and Public Health Interventions',
    description:
      'Risk factors are improper practices or procedures identified as the most prevalent contributing factors of foodborne illness or injury.',
    sections: RISK_FACTORS,
    severity: 'major',
    passing_score: PASSING_SCORE_OF_RISK_FACTORS,
  },
  {
    title: 'Good Retail Practices',
    description:
      'Preventative measures to control the addition of pathogens, chemicals, and physical objects into foods.',
    sections: GOOD_RETAIL_PRACTICES,
    severity: 'minor',
    passing_score: null,
  },
];

const COMPLIANCE = {
  id: uuidv7(),
  name: 'Compliance status',
  options: [
    { value: 'in', label: 'IN', color: '#2e7d32', score: 1 },
    { value: 'out', label: 'OUT', color: '#c62828', score: 0, is_failed: true },
    { value: 'no', label: 'N.O.', color: '#757575', is_na: true },
    { value: 'na', label: 'N.A.', color: '#757575', is_na: true },
  ],
};

/** An item of the form, with the field that stands for it. */
export interface FormItem {
  number: number;
  section_id: string;
  field_id: string;
}

/** The form as the content of a template, with the ids that answers to it need. */
export interface Form {
  content: unknown;
  items: FormItem[];
  temperatures: { section_id: string; item_id: string; temperature_id: string; is_safe_id: string };
  closing: { section_id: string; remarks_id: string; inspector_id: string; person_in_charge_id: string };
}

interface LabelledItem extends FormItem {
  part: (typeof PARTS)[number];
  section: string;
  label: string;
}

/** All items in the order of the form, with new ids. */
const numberedItems = (): LabelledItem[] =>
  PARTS.flatMap((part) =>
    Object.entries(part.sections).flatMap(([section, labels]) => {
      const section_id = uuidv7();
      return labels.map((label) => ({ part, section, section_id, field_id: uuidv7(), label }));
    }),
  ).map((item, index) => ({ ...item, number: index + 1 }));

const itemField = ({ number, field_id, label, part }: LabelledItem) => ({
  id: field_id,
  type: 'single_select',
  label: `${number}. ${label}`,
  required: true,
  response_set_id: COMPLIANCE.id,
  note_required_on: ['failed'],
  media: { kinds: ['photo'] },
  critical: CRITICAL.has(number),
  finding: {
    create: 'auto',
    severity: CRITICAL.has(number) ? 'critical' : part.severity,
    corrective_action: CORRECTIVE_ACTIONS[number] ?? null,
  },
});

const partSection = (part: (typeof PARTS)[number], items: readonly LabelledItem[]) => ({
  id: uuidv7(),
  title: part.title,
  description: part.description,
  passing_score: part.passing_score,
  sections: [
    ...Map.groupBy(
      items.filter((item) => item.part === part),
      ({ section_id }) => section_id,
    ),
  ].map(([id, inSection]) => ({ id, title: inSection[0]!.section, fields: inSection.map(itemField) })),
});

const temperatureSection = ({ section_id, item_id, temperature_id, is_safe_id }: Form['temperatures']) => ({
  id: section_id,
  title: 'Temperature Observations',
  repeat: { min: 1, max: 24, label_field_id: item_id },
  fields: [
    { id: item_id, type: 'text', label: 'Item and location', required: true },
    {
      id: temperature_id,
      type: 'temperature',
      label: 'Temperature',
      unit: '°C',
      min: -40,
      max: 150,
      step: 0.1,
      required: true,
    },
    {
      id: is_safe_id,
      type: 'yes_no',
      label: 'Within the limit',
      required: true,
      fail_if: { op: 'eq', value: false },
      finding: { create: 'auto', label: 'Temperature outside the limit: {instance}', severity: 'major' },
    },
  ],
});

const closingSection = ({ section_id, remarks_id, inspector_id, person_in_charge_id }: Form['closing']) => ({
  id: section_id,
  title: 'Observations and Signatures',
  fields: [
    { id: remarks_id, type: 'long_text', label: 'Observations and corrective actions' },
    { id: person_in_charge_id, type: 'signature', label: 'Person in charge', required: true },
    { id: inspector_id, type: 'signature', label: 'Inspector', required: true },
  ],
});

const START_FIELDS = [
  { key: 'permit_number', type: 'text', label: 'Licence/permit number' },
  { key: 'purpose', type: 'text', label: 'Purpose of inspection' },
  { key: 'establishment_type', type: 'text', label: 'Type of establishment' },
  { key: 'risk_category', type: 'number', label: 'Risk category' },
];

/** The whole form. Each call makes new ids, like an editor for templates. */
export const newForm = (): Form => {
  const items = numberedItems();
  const temperatures = {
    section_id: uuidv7(),
    item_id: uuidv7(),
    temperature_id: uuidv7(),
    is_safe_id: uuidv7(),
  };
  const closing = {
    section_id: uuidv7(),
    remarks_id: uuidv7(),
    inspector_id: uuidv7(),
    person_in_charge_id: uuidv7(),
  };
  const content = {
    start: { fields: START_FIELDS },
    response_sets: [COMPLIANCE],
    scoring: { enabled: true, method: 'points', passing_score: PASSING_SCORE },
    sections: [
      ...PARTS.map((part) => partSection(part, items)),
      temperatureSection(temperatures),
      closingSection(closing),
    ],
  };
  return { content, items, temperatures, closing };
};
