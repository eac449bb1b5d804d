import { v7 as uuidv7 } from 'uuid';

/**
 * The items of the Food Establishment Inspection Report: FDA Food Code 2022, Annex 7, Form 3-A. The first 29 are
 * foodborne illness risk factors and public health interventions, the rest good retail practices.
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

const COMPLIANCE = {
  id: uuidv7(),
  name: 'Compliance status',
  options: [
    { value: 'in', label: 'IN', color: '#2e7d32' },
    { value: 'out', label: 'OUT', color: '#c62828', is_failed: true },
    { value: 'no', label: 'N.O.', color: '#757575', is_na: true },
    { value: 'na', label: 'N.A.', color: '#757575', is_na: true },
  ],
};

/** What a demonstration needs to know of a field: where it is and which item of the form it stands for. */
export interface FormItem {
  number: number;
  section_id: string;
  field_id: string;
}

/** The form as a template's content, with its items by number and its further fields by name. */
export interface Form {
  content: unknown;
  items: FormItem[];
  temperatures: { section_id: string; item_id: string; temperature_id: string };
  closing: { section_id: string; remarks_id: string; inspector_id: string; person_in_charge_id: string };
}

/** The whole form. Ids are new with each call, as an author's tool would make them. */
export const newForm = (): Form => {
  const items: FormItem[] = [];
  const part = (
    title: string,
    description: string,
    sections: Record<string, string[]>,
    severity: string,
  ) => ({
    id: uuidv7(),
    title,
    description,
    sections: Object.entries(sections).map(([name, labels]) => {
      const section_id = uuidv7();
      const fields = labels.map((label) => {
        const field_id = uuidv7();
        const number = items.length + 1;
        items.push({ number, section_id, field_id });
        return {
          id: field_id,
          type: 'single_select',
          label: `${number}. ${label}`,
          required: true,
          response_set_id: COMPLIANCE.id,
          note_required_on: ['failed'],
          media: { kinds: ['photo'] },
          finding: { create: 'auto', severity },
        };
      });
      return { id: section_id, title: name, fields };
    }),
  });
  const temperatures = { section_id: uuidv7(), item_id: uuidv7(), temperature_id: uuidv7() };
  const closing = {
    section_id: uuidv7(),
    remarks_id: uuidv7(),
    inspector_id: uuidv7(),
    person_in_charge_id: uuidv7(),
  };
  const content = {
    start: {
      fields: [
        { key: 'permit_number', type: 'text', label: 'Licence/permit number' },
        { key: 'purpose', type: 'text', label: 'Purpose of inspection' },
        { key: 'establishment_type', type: 'text', label: 'Type of establishment' },
        { key: 'risk_category', type: 'number', label: 'Risk category' },
      ],
    },
    response_sets: [COMPLIANCE],
    sections: [
      part(
        'Foodborne Illness Risk Factors and Public Health Interventions',
        'Risk factors are improper practices or procedures identified as the most prevalent contributing factors of foodborne illness or injury.',
        RISK_FACTORS,
        'major',
      ),
      part(
        'Good Retail Practices',
        'Preventative measures to control the addition of pathogens, chemicals, and physical objects into foods.',
        GOOD_RETAIL_PRACTICES,
        'minor',
      ),
      {
        id: temperatures.section_id,
        title: 'Temperature Observations',
        repeat: { min: 1, max: 24, label_field_id: temperatures.item_id },
        fields: [
          { id: temperatures.item_id, type: 'text', label: 'Item and location', required: true },
          {
            id: temperatures.temperature_id,
            type: 'temperature',
            label: 'Temperature',
            unit: '°C',
            min: -40,
            max: 150,
            step: 0.1,
            required: true,
          },
        ],
      },
      {
        id: closing.section_id,
        title: 'Observations and Signatures',
        fields: [
          { id: closing.remarks_id, type: 'long_text', label: 'Observations and corrective actions' },
          { id: closing.person_in_charge_id, type: 'signature', label: 'Person in charge', required: true },
          { id: closing.inspector_id, type: 'signature', label: 'Inspector', required: true },
        ],
      },
    ],
  };
  return { content, items, temperatures, closing };
};
