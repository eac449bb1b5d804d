import type { Language } from '../../base/i18n/languages.ts';

/**
 * A report as it is read: words in the report's language, numbered and in order. A renderer decides only how it is
 * drawn. PDF, HTML and DOCX are drawn from it, so that all three say the same in the same order.
 *
 * It is made from the payload alone and from the facts about its images. Its texts are data: a renderer never
 * interprets them. An anchor is unique in the document, and consists of lower-case letters, digits and hyphens.
 */
export interface ReportDocument {
  language: Language;
  direction: 'ltr' | 'rtl';
  /** Of the document, for its metadata. */
  title: string;
  subject: string;
  author: string;
  /** ISO 8601. The renderer uses no other time. */
  generatedAt: string;
  page: { size: 'A4' | 'Letter'; orientation: 'portrait' | 'landscape' };
  /** The theme's colour (#rrggbb), dark enough to be read on white, and a very light one of it for areas. */
  color: string;
  tint: string;
  /** The word "Draft", which is on every page; null for a final report. */
  draft: string | null;
  running: Running;
  /** The headings that a reader looks for, in order; a file format that makes its own outline needs none. */
  contents: { heading: string; entries: { to: string; text: string; level: 1 | 2 }[] };
  /** Null where the layout has none; then `masthead` begins the first page. */
  cover: Cover | null;
  masthead: Masthead;
  /** In the order of the layout. A block without anything to show is left out. */
  blocks: Block[];
  /** Every photo once, by their numbers. */
  photos: Photo[];
  /** The photos once more, so many to a page; null without photos, or where a gallery has them. */
  appendix: (Gallery & { heading: Heading; perPage: 4 | 6 }) | null;
  closing: Closing;
}

/** A run of text. `href` is a URL (https, mailto, tel, geo); `to` is an anchor of the document. */
export interface Span {
  text: string;
  href?: string;
  to?: string;
}

/** A paragraph; line breaks within it are \n in its texts. */
export type Paragraph = Span[];

export interface Heading {
  anchor: string;
  text: string;
}

/** Colours (#rrggbb) of a label or figure: `ink` for its text, `tint` for the area behind it. */
export interface Tone {
  ink: string;
  tint: string;
}

export interface Chip {
  text: string;
  tone: Tone;
}

/** A name with its value: "Client" and "Harbour Restaurant Group". */
export interface Fact {
  name: string;
  value: Paragraph[];
}

/** A number of importance with its name. */
export interface Figure {
  name: string;
  value: string;
  tone: Tone | null;
}

/** What stands above and below every page but the cover. */
export interface Running {
  /** "No. 128 · Kitchen inspection", and the organization's name. */
  head: { start: string; end: string };
  /** "Generated on 3 March 2027, 10:00 · version 2". */
  foot: string;
  /** "Page {page} of {pages}", with both names in braces. */
  pageOf: string;
  /** "Page", before a number. */
  page: string;
}

export interface Cover {
  /** The kind of document: "Inspection report". */
  kind: string;
  title: string;
  number: string;
  /** The reference of the image; null without a logo. */
  logo: string | null;
  organization: string;
  facts: Fact[];
  /** Null for a draft, or where nothing was to pass. */
  verdict: Chip | null;
}

/** The beginning of a report without a cover. */
export type Masthead = Pick<Cover, 'kind' | 'title' | 'number' | 'logo' | 'organization' | 'facts'>;

export type Block =
  | SummaryBlock
  | ScoreBlock
  | FindingsBlock
  | ActionsBlock
  | SectionsBlock
  | MediaBlock
  | SignaturesBlock
  | CorrectionsBlock
  | TextBlock;

/** One page for people who read only this page. */
export interface SummaryBlock {
  kind: 'summary';
  heading: Heading;
  /** For a draft, why it has no verdict yet; null otherwise. */
  notice: string | null;
  /** With each reason, linked to the item or section. */
  verdict: { chip: Chip; reasons: Paragraph[] } | null;
  /** `value` and `passing` are percentages from 0 to 100; `change` is "+4.5 points since 3 March 2026". */
  score: {
    text: string;
    value: number | null;
    passing: number | null;
    passingText: string | null;
    tone: Tone;
    change: string | null;
  } | null;
  figures: Figure[];
  severities: Chip[];
  /** The most severe findings, with one picture each. */
  worst: { heading: string; findings: BriefFinding[] } | null;
  actions: { heading: string; figures: Figure[] } | null;
  sections: { heading: string; bars: Bar[] } | null;
}

export interface BriefFinding {
  to: string;
  number: string;
  title: string;
  /** Its severity, and whether it is put right. */
  chips: Chip[];
  place: string;
  photo: Photo | null;
}

/** A bar of a chart: `value` is a percentage from 0 to 100, null where nothing counts. */
export interface Bar {
  to: string | null;
  title: string;
  text: string;
  value: number | null;
  tone: Tone;
}

export interface ScoreBlock {
  kind: 'score';
  heading: Heading;
  total: Bar;
  /**
   * The names of the columns: section, points, percentage, passing score, result. The name of a column without values
   * is empty.
   */
  columns: string[];
  rows: {
    to: string | null;
    /** 1 for an outermost section. */
    depth: number;
    title: string;
    points: string;
    percentage: string;
    value: number | null;
    passing: string;
    result: Chip | null;
  }[];
}

export interface FindingsBlock {
  kind: 'findings';
  heading: Heading;
  /** The sentence that there are no findings; null if there are some. */
  empty: string | null;
  photoColumns: number;
  findings: FindingCard[];
}

export interface FindingCard {
  anchor: string;
  /** Within the report, from 1. */
  number: string;
  /** The organization's own number: "No. 4711". */
  reference: string;
  title: string;
  chips: Chip[];
  /** Section, instance and question, linked to the item: "Extinguisher EXT-1004 › Seal intact". */
  place: Paragraph;
  texts: { heading: string; paragraphs: Paragraph[] }[];
  photos: Photo[];
  files: FileLink[];
  actions: ActionCard[];
}

export interface ActionCard {
  anchor: string;
  number: string;
  title: string;
  chips: Chip[];
  facts: Fact[];
  texts: { heading: string; paragraphs: Paragraph[] }[];
  before: { heading: string; photos: Photo[] } | null;
  after: { heading: string; photos: Photo[] } | null;
  files: FileLink[];
}

/** All corrective actions as a table. */
export interface ActionsBlock {
  kind: 'corrective_actions';
  heading: Heading;
  /** The names of the columns: number, action, finding, assignee, due, status. */
  columns: string[];
  rows: {
    number: string;
    title: Paragraph;
    finding: Paragraph;
    assignee: string;
    due: string;
    status: Chip;
  }[];
}

export interface SectionsBlock {
  kind: 'sections';
  heading: Heading;
  photoColumns: number;
  /** Which inspection the answers are compared with: "Before: No. 12 · Move-in · 3 March 2027"; null for none. */
  comparedWith: string | null;
  sections: Section[];
}

export interface Section {
  anchor: string;
  /** "2.1", or the number that the title brings; empty for the inspection's details and for an instance. */
  number: string;
  title: string;
  /** Of an instance, its title on the pages that it goes on to: "EXT-1031, continued"; null for any other section. */
  continued: string | null;
  /** 1 for an outermost section; an instance of a repeat is one level below its section. */
  level: number;
  description: Paragraph[];
  /** "12 items · 1 failed". */
  counts: string;
  /** Who answered most items, and when; null if nobody is known. */
  answeredBy: string | null;
  /** In order. */
  parts: (DocumentItem | ItemTable | Section)[];
}

export interface DocumentItem {
  anchor: string;
  /**
   * The number of the question: from its label, or by its position. Empty for instructions, and if only other labels
   * have numbers.
   */
  number: string;
  question: string;
  help: string;
  /** An instruction asks nothing: its text is the question. */
  isInstruction: boolean;
  /** Empty for an instruction. */
  answer: Paragraph[];
  /** The colour of the chosen option (#rrggbb), beside the answer's words; null without one. */
  swatch: string | null;
  /** It flows over the full width below its question. */
  isLong: boolean;
  isUnanswered: boolean;
  isFailed: boolean;
  chips: Chip[];
  note: { label: string; paragraphs: Paragraph[] } | null;
  /** Only where it differs from the section's. */
  answeredBy: string | null;
  photos: Photo[];
  files: FileLink[];
  /** "Finding 3", linked to it. */
  findings: Paragraph;
  /** Where the answer is a drawn signature, its image. */
  signature: string | null;
  /** The answer of the earlier inspection; null if the block does not compare, or the question was not asked. */
  before: BeforeAnswer | null;
}

/** The answer of an earlier inspection, which stands beside that of this one. */
export interface BeforeAnswer {
  /** "Before". */
  label: string;
  answer: Paragraph[];
  isFailed: boolean;
  isUnanswered: boolean;
  note: Paragraph[];
  photos: Photo[];
}

/** The instances of a repeat, one in a row. */
export interface ItemTable {
  anchor: string;
  title: string;
  /** Whether an upright page is too narrow for its columns. */
  isWide: boolean;
  /** The name of the first column, which holds the instance's title, and those of the questions. */
  columns: string[];
  rows: {
    anchor: string;
    title: string;
    /** `photos` of an answer that is nothing else. */
    cells: {
      text: Paragraph;
      photos: Photo[];
      isFailed: boolean;
      isUnanswered: boolean;
      isNumber: boolean;
    }[];
    /** Notes, findings and photos of the row's answers, which no cell holds. */
    remarks: Paragraph[];
    photos: Photo[];
  }[];
}

/** The place of the photos: their anchors are here. No photo is printed a third time. */
export interface Gallery {
  photos: Photo[];
  /** Photos that are printed twice before. They are named only, with a link to where they are. */
  elsewhere: Photo[];
}

export interface MediaBlock extends Gallery {
  kind: 'media';
  heading: Heading;
  photoColumns: number;
}

export interface Photo {
  /** The anchor of the picture in the appendix or the gallery. Everywhere else, the photo links to it. */
  anchor: string;
  /** Whether it is printed further up, so that its label with the link stands for it here. */
  isRepeated: boolean;
  /** The reference by which the image is loaded. */
  reference: string;
  /** "Photo 12". */
  label: string;
  caption: string;
  /** The question, and when and where it was taken if the file says so. */
  details: Paragraph;
  /** Alternative text. */
  alt: string;
  /** Pixels of the upright image; null for an image that cannot be shown. */
  size: { width: number; height: number } | null;
  /** Where the photo is first shown. */
  from: string;
}

/**
 * A file that is no picture. `href` is its address in a preview; a stored report has no addresses, and small files are
 * attached to it, as `kind` then says.
 */
export interface FileLink {
  name: string;
  kind: string;
  caption: string;
  href: string | null;
}

export interface SignaturesBlock {
  kind: 'signatures';
  heading: Heading;
  signatures: {
    label: string;
    name: string;
    signed: string;
    /** The reference of a drawn signature's image; null for a typed one. */
    image: string | null;
    typed: string | null;
    /** Why the signature was refused, and "Given before correction 2"; else empty. */
    remark: string;
  }[];
}

export interface CorrectionsBlock {
  kind: 'corrections';
  heading: Heading;
  /** The names of the columns of changes: what, before, after, by. */
  columns: string[];
  corrections: {
    anchor: string;
    title: string;
    facts: Fact[];
    reason: Paragraph[];
    changes: { place: Paragraph; before: Paragraph[]; after: Paragraph[]; by: string }[];
  }[];
}

export interface TextBlock {
  kind: 'text';
  heading: Heading | null;
  paragraphs: Paragraph[];
}

/** How a reader can verify the report. */
export interface Closing {
  heading: string;
  sentence: string;
  /** "SHA-256". */
  hashName: string;
  /** Of the payload, in hexadecimal; null in a preview. */
  hash: string | null;
  /** The text of the QR code; null in a preview. */
  qr: string | null;
}
