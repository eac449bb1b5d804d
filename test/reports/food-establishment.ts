import sharp from 'sharp';
import type {
  ReportField,
  ReportMedia,
  ReportPayload,
  ReportSection,
  ReportSectionScore,
} from '../../shared/schemas/reports/report-payload.ts';
import { DEFAULT_LAYOUT } from '../../shared/schemas/reports/report-payload.ts';

/** A uuid that is the same in every run. */
export const uuid = (kind: number, index: number): string =>
  `0198a000-${kind.toString(16).padStart(4, '0')}-7000-8000-${index.toString(16).padStart(12, '0')}`;

export const field = (index: number, changes: Partial<ReportField>): ReportField => ({
  id: uuid(1, index),
  type: 'pass_fail_na',
  label: `Question ${index}`,
  answer: { text: 'Pass', value: 'pass' },
  is_failed: false,
  is_na: false,
  note: '',
  media: [],
  answered_at: '2026-03-14T09:12:00.000Z',
  answered_by_name: 'Zofia Wiśniewska',
  ...changes,
});

export const photo = (index: number, caption: string): ReportMedia => ({
  document_id: uuid(2, index),
  caption,
  file_name: `IMG_${2040 + index}.jpg`,
  mime_type: 'image/jpeg',
});

/** A picture of a smooth gradient, quick to make and to decode at any size. */
export const gradient = (width: number, height: number, hue: number): Promise<Buffer> =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs><linearGradient id="g" x2="1" y2="1">
      <stop offset="0" stop-color="hsl(${hue},45%,72%)"/><stop offset="1" stop-color="hsl(${hue + 40},40%,38%)"/></linearGradient></defs>
      <rect width="100%" height="100%" fill="url(#g)"/></svg>`,
    ),
  )
    .jpeg()
    .toBuffer();

/** A handwritten line on transparency. */
export const scribble = (): Promise<Buffer> =>
  sharp(
    Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="200"><path d="M20 140 C 80 20, 120 20, 110 130 S 190 60, 220 120 S 290 40, 310 130 S 420 80, 580 60" fill="none" stroke="#14213d" stroke-width="7" stroke-linecap="round"/></svg>',
    ),
  )
    .png()
    .toBuffer();

const AREAS: { title: string; description?: string; labels: string[] }[] = [
  {
    title: 'Food temperatures',
    description: 'Measured with a calibrated probe, at the core of the product.',
    labels: [
      'Chilled food is held at ≤ 5 °C',
      'Frozen food is held at ≤ −18 °C',
      'Hot food is held at ≥ 63 °C',
      'Food is cooled from 60 °C to 21 °C within two hours, and to 5 °C within four more',
      'Reheated food reaches 75 °C for 15 seconds',
      'A calibrated thermometer is at hand',
      'Temperature records of the last 30 days are complete',
      'Deliveries are checked on arrival',
    ],
  },
  {
    title: 'Personal hygiene – Υγιεινή προσωπικού',
    labels: [
      'Hands are washed before work and after each break',
      'Wash basins have soap, warm water and paper towels',
      'Clean work clothes and hair restraints are worn',
      'No one works with symptoms of illness',
      'Gloves are changed between tasks',
      'No eating, drinking or smoking where food is prepared',
      'Jewellery is removed',
      'Wounds are covered with coloured plasters',
      'Hygiene training is documented for every employee',
    ],
  },
  {
    title: 'Cross-contamination',
    labels: [
      'Raw and ready-to-eat food are stored apart',
      'Cutting boards are colour-coded and in good condition',
      'Utensils are cleaned and sanitised between uses',
      'Allergens are declared and kept apart',
      'Food is covered and labelled with the date it was opened',
      'Raw meat is stored below other food',
      'Cloths are changed or disinfected daily',
      'Sanitiser concentration is within 200–400 ppm',
    ],
  },
  {
    title: 'Premises and equipment',
    labels: [
      'Floors, walls and ceilings are clean and sound',
      'Lighting is sufficient and shielded',
      'Ventilation removes steam and grease',
      'Refrigerators are clean, seals intact',
      'The dishwasher reaches 82 °C in the final rinse',
      'Drains are clean and flow freely',
      'Waste is removed daily in closed containers',
      'Toilets are clean and do not open into food rooms',
      'Changing rooms are separate and orderly',
      'Cleaning schedule is displayed and signed',
    ],
  },
  {
    title: 'Pest control',
    labels: [
      'No signs of rodents or insects',
      'Openings to the outside are screened',
      'Bait stations are mapped, numbered and checked',
      'The contract with the pest controller is current',
      'Outdoor areas give pests no shelter',
    ],
  },
  {
    title: 'Documentation and traceability',
    labels: [
      'The HACCP plan is current and signed',
      'Licences are displayed',
      'Suppliers are approved and listed',
      'Batches are traceable one step back and one forward',
      'Recalls were handled within 24 hours',
      'Previous corrective actions are closed',
    ],
  },
];

const violations: Record<number, Partial<ReportField>> = {
  0: {
    is_failed: true,
    answer: { text: 'Fail – 9.4 °C', value: 'fail' },
    note: 'Walk-in refrigerator 2 showed 9.4 °C on its display and 9.1 °C at the core of the chicken. The door seal is torn over a length of about 20 cm.\nThe food was discarded in our presence.',
    media: [
      photo(0, 'Display of walk-in refrigerator 2'),
      photo(1, 'Torn door seal, lower left'),
      photo(2, 'Probe at the core: 9.1 °C'),
      photo(3, 'Discarded chicken, 6.2 kg'),
      photo(4, 'The whole refrigerator, from the door'),
    ],
  },
  3: { is_na: true, answer: { text: 'N/A', value: 'na' } },
  6: { answer: { text: null, value: null }, answered_at: null, answered_by_name: null },
  9: {
    is_failed: true,
    answer: { text: 'Fail', value: 'fail' },
    note: 'Δεν υπήρχε σαπούνι στον νιπτήρα δίπλα στην κουζίνα. Ο υπεύθυνος ενημερώθηκε αμέσως.',
    media: [photo(5, 'Νιπτήρας χωρίς σαπούνι')],
  },
  16: {
    answer: { text: 'Pass', value: 'pass' },
    note: 'Zażółć gęślą jaźń: szkolenie potwierdzone dla 14 z 14 osób.',
  },
  18: {
    is_failed: true,
    answer: { text: 'Fail', value: 'fail' },
    note: 'Kesme tahtaları derin çizikli; ığüşöç İĞÜŞÖÇ. Değiştirilmesi gerekiyor.',
    media: [photo(6, 'Kırmızı kesme tahtası'), photo(7, 'Yeşil kesme tahtası')],
  },
  24: { answer: { text: '320 ppm', value: 320 }, type: 'number' },
  29: {
    type: 'temperature',
    answer: { text: '78.5 °C', value: 78.5 },
    is_failed: true,
    note: 'Кінцеве ополіскування не досягає 82 °C; сервісна служба викликана на 16 березня. Съёмный фильтр забит.',
    media: [photo(8, 'Дисплей посудомийної машини'), photo(9, 'Фільтр')],
  },
  33: { is_na: true, answer: { text: null, value: null } },
  38: {
    answer: { text: 'Stations 1–14 checked, 4 renewed; map dated 2 February 2026', value: '' },
    type: 'long_text',
  },
};

const fields: ReportField[] = AREAS.flatMap(({ labels }) => labels).map((label, index) =>
  field(index, { label, ...violations[index] }),
);

const sections: ReportSection[] = AREAS.map(({ title, description = '', labels }, area) => {
  const start = AREAS.slice(0, area).reduce((sum, { labels: before }) => sum + before.length, 0);
  return {
    id: uuid(3, area),
    title,
    description,
    instance: null,
    fields: fields.slice(start, start + labels.length),
    sections: [],
  };
});

/** Cold rooms, a section repeated within another. */
const storage: ReportSection = {
  id: uuid(3, 90),
  title: 'Storage',
  description: '',
  instance: null,
  fields: [],
  sections: ['Cold room A', 'Cold room B'].map((instance, room) => ({
    id: uuid(3, 91),
    title: 'Cold room',
    description: '',
    instance,
    fields: [
      field(100 + 5 * room, {
        label: 'Temperature',
        type: 'temperature',
        answer: { text: '3.8 °C', value: 3.8 },
      }),
      field(101 + 5 * room, { label: 'Doors close by themselves' }),
      field(102 + 5 * room, { label: 'Shelves are clean and 15 cm off the floor' }),
      field(103 + 5 * room, {
        label: 'Record what stands on the floor, and why',
        type: 'instruction',
        answer: { text: null, value: null },
      }),
      field(104 + 5 * room, {
        label: 'Remarks',
        help: 'What the next inspection should look at.',
        type: 'long_text',
        answer: { text: room ? null : 'Fan of the evaporator is loud; ice on the left pipe.', value: null },
      }),
    ],
    sections: [],
  })),
};

const sectionScore = (index: number, score: Partial<ReportSectionScore>): ReportSectionScore => ({
  section_id: uuid(3, index),
  title: AREAS[index]?.title ?? 'Storage',
  depth: 1,
  percentage: 100,
  points: 100,
  max: 100,
  passing_score: 90,
  result: 'pass',
  ...score,
});

/** A finished inspection of a restaurant, 56 questions and some violations, in many scripts. */
export const foodEstablishment = (): ReportPayload =>
  structuredClone({
    organization: {
      name: 'Εργαστήριο Ασφάλειας Τροφίμων / Bezpieczna Kuchnia',
      locale: 'en-GB',
      timezone: 'Europe/Warsaw',
      date_format: 'D MMM YYYY',
      time_format: '24h',
      logo: 'org/1/logo.png',
    },
    report: {
      id: uuid(9, 1),
      title: 'Food safety inspection',
      version: 2,
      generated_at: '2026-03-14T11:45:00.000Z',
    },
    layout: DEFAULT_LAYOUT,
    inspection: {
      id: uuid(9, 2),
      number: 1042,
      name: 'Restaurant Złota Kaczka, spring inspection',
      status: 'completed',
      client: { id: uuid(9, 3), name: 'Złota Kaczka Sp. z o.o.' },
      location: {
        id: uuid(9, 4),
        name: 'Główna kuchnia',
        address: 'ul. Świętojańska 12\n81-372 Gdynia\nPolska',
      },
      template: { id: uuid(9, 5), name: 'Food establishment', version_number: 7 },
      participants: [
        {
          user_id: uuid(9, 6),
          name: 'Zofia Wiśniewska',
          role: 'lead',
          status: 'submitted',
          submitted_at: '2026-03-14T11:20:00.000Z',
        },
        {
          user_id: uuid(9, 7),
          name: 'Γιώργος Παπαδόπουλος',
          role: 'inspector',
          status: 'submitted',
          submitted_at: '2026-03-14T11:00:00.000Z',
        },
        {
          user_id: uuid(9, 8),
          name: 'Şükrü Yıldız',
          role: 'approver',
          status: 'assigned',
          submitted_at: null,
        },
      ],
      scheduled_for: '2026-03-14T08:00:00.000Z',
      due_at: '2026-03-20T16:00:00.000Z',
      started_at: '2026-03-14T08:05:00.000Z',
      submitted_at: '2026-03-14T11:20:00.000Z',
      approved_at: '2026-03-14T11:30:00.000Z',
      signed_off_at: null,
      completed_at: '2026-03-14T11:40:00.000Z',
    },
    summary: {
      progress: { answered: 53, required: 50, total: 56 },
      counts: { answered: 53, failed: 4, na: 2 },
      findings: { observation: 0, minor: 1, major: 2, critical: 1 },
      score: { percentage: 92.59, points: 250, max: 270, result: 'fail' },
      section_scores: [
        sectionScore(0, { percentage: 80, points: 80, result: 'fail' }),
        sectionScore(1, {}),
        sectionScore(2, { points: 70, max: 70, passing_score: null, result: null }),
        sectionScore(90, { depth: 2, percentage: null, points: 0, max: 0, result: null }),
      ],
    },
    findings: [
      {
        id: uuid(4, 1),
        number: 1,
        label: 'Walk-in refrigerator 2 does not keep 5 °C',
        severity: 'critical',
        status: 'open',
        origin: 'auto',
        section_title: 'Food temperatures',
        field_label: 'Chilled food is held at ≤ 5 °C',
        description:
          'Chilled chicken was held at 9.1 °C for at least six hours, as the log shows. Growth of pathogens must be assumed.',
        recommendation:
          'Take the refrigerator out of use until the seal is replaced and 5 °C are held for 24 hours.',
        root_cause: 'Torn door seal; the alarm of the monitoring system had been silenced on 11 March.',
        media: [
          photo(0, 'Display of walk-in refrigerator 2'),
          photo(1, 'Torn door seal, lower left'),
          photo(2, 'Probe at the core: 9.1 °C'),
          photo(3, 'Discarded chicken'),
        ],
      },
      {
        id: uuid(4, 2),
        number: 2,
        label: 'Χωρίς σαπούνι στον νιπτήρα',
        severity: 'major',
        status: 'resolved',
        origin: 'auto',
        section_title: 'Personal hygiene – Υγιεινή προσωπικού',
        field_label: 'Wash basins have soap, warm water and paper towels',
        description: 'Δεν υπήρχε σαπούνι στον νιπτήρα δίπλα στην κουζίνα.',
        recommendation: 'Ημερήσιος έλεγχος με υπογραφή.',
        root_cause: '',
        media: [photo(5, 'Νιπτήρας χωρίς σαπούνι')],
      },
      {
        id: uuid(4, 3),
        number: 3,
        label: 'Cutting boards deeply scored',
        severity: 'minor',
        status: 'open',
        origin: 'auto',
        section_title: 'Cross-contamination',
        field_label: 'Cutting boards are colour-coded and in good condition',
        description: 'Kesme tahtaları derin çizikli, temizlenemiyor.',
        recommendation: 'Replace the red and the green board.',
        root_cause: '',
        media: [photo(6, 'Kırmızı kesme tahtası'), photo(7, 'Yeşil kesme tahtası')],
      },
      {
        id: uuid(4, 4),
        number: 4,
        label: 'Посудомийна машина не досягає 82 °C',
        severity: 'major',
        status: 'open',
        origin: 'manual',
        section_title: 'Premises and equipment',
        field_label: 'The dishwasher reaches 82 °C in the final rinse',
        description: 'Виміряно 78,5 °C тричі поспіль.',
        recommendation: '',
        root_cause: 'Забитий фільтр.',
        media: [],
      },
    ],
    corrective_actions: [
      {
        id: uuid(5, 1),
        number: 311,
        finding_number: 1,
        title: 'Replace the door seal of walk-in refrigerator 2',
        description: 'Send the log of 24 hours at 5 °C or below as evidence.',
        priority: 'critical',
        status: 'in_progress',
        is_overdue: true,
        assignee_name: 'Mateusz Łęcki',
        due_at: '2026-03-14T22:00:00.000Z',
        completed_at: null,
        completion_note: '',
        verified_at: null,
      },
      {
        id: uuid(5, 2),
        number: 312,
        finding_number: 2,
        title: 'Καθημερινός έλεγχος νιπτήρων',
        description: '',
        priority: 'medium',
        status: 'verified',
        is_overdue: false,
        assignee_name: 'Ελένη Νικολάου',
        due_at: '2026-03-16T16:00:00.000Z',
        completed_at: '2026-03-14T10:00:00.000Z',
        completion_note: 'Soap refilled, checklist posted at each basin.',
        verified_at: '2026-03-14T11:00:00.000Z',
      },
    ],
    sections: [...sections, storage],
    signatures: [
      {
        label: 'Lead inspector',
        signed_name: 'Zofia Wiśniewska',
        signed_at: '2026-03-14T11:20:00.000Z',
        document_id: uuid(6, 1),
        typed: null,
      },
      {
        label: 'Responsible person on site',
        signed_name: 'Mateusz Łęcki',
        signed_at: '2026-03-14T11:22:00.000Z',
        document_id: null,
        typed: 'Mateusz Łęcki',
      },
      { label: 'Approver', signed_name: 'Şükrü Yıldız', signed_at: null, document_id: null, typed: null },
    ],
  } satisfies ReportPayload);

/** The pictures of the restaurant's inspection, by what the payload calls them. */
export const foodImages = async (reference: string): Promise<Buffer | null> => {
  if (reference === 'org/1/logo.png') {
    return sharp(
      Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" width="360" height="120"><circle cx="60" cy="60" r="46" fill="#1f4e79"/><path d="M38 62 l16 18 l30 -40" stroke="#fff" stroke-width="10" fill="none"/><rect x="126" y="36" width="210" height="18" rx="9" fill="#1f4e79"/><rect x="126" y="66" width="150" height="18" rx="9" fill="#7fa6c9"/></svg>',
      ),
    )
      .png()
      .toBuffer();
  }
  if (reference === uuid(6, 1)) return scribble();
  const index = Number.parseInt(reference.slice(-12), 16);
  return index % 3 === 2 ? gradient(900, 1200, index * 36) : gradient(1600, 1200, index * 36);
};
