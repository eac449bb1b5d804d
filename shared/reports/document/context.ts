import { type Plural, pluralText } from '../../base/i18n/plural.ts';
import { type ReportTexts, REPORT_TEXTS } from '../../base/i18n/texts/report.ts';
import type { ReportPosition, ReportMedia } from '../../schemas/reports/report-answer.ts';
import type { ReportPayload } from '../../schemas/reports/report-payload.ts';
import { type Formats, formatsOf } from '../presentation/format.ts';
import type { FileLink, Gallery, Paragraph, Photo } from './document.ts';
import { type Anchors, anchorsOf } from './layout.ts';
import { mapLink, inWords, joined, plain } from './spans.ts';

/** The facts about an image that can be shown. */
export interface PhotoFacts {
  /** Pixels, upright. */
  width: number;
  height: number;
  /** The time on the camera's clock, according to its file; null if the file has none. */
  takenAt: { date: string; time: string } | null;
  /** Where it was taken, according to its file. */
  position: ReportPosition | null;
}

/** What a document is made from, beside its payload. */
export interface DocumentFacts {
  /** The images that can be shown, by document id or storage key. */
  images: ReadonlyMap<string, PhotoFacts>;
  /** The SHA-256 of the payload in hexadecimal; null in a preview. */
  hash: string | null;
  /** The address of a file in a preview; null where there is none. */
  hrefOf?: (documentId: string) => string | null;
  /** The files that are attached to the report itself, by document id. */
  attached?: ReadonlySet<string>;
}

const kindOf = ({ mime_type }: ReportMedia, { files }: ReportTexts): string => {
  if (mime_type === 'application/pdf') return files.pdf;
  const [group] = mime_type.split('/');
  return group === 'image' || group === 'video' || group === 'audio' ? files[group] : files.file;
};

export const isPhoto = ({ mime_type }: ReportMedia): boolean => mime_type.startsWith('image/');

/** The photos of a document, numbered in the order in which they are first shown. */
class PhotoBook {
  readonly #photos = new Map<string, Photo>();
  /** The references of those that the summary shows as well. */
  readonly #teasers = new Set<string>();
  readonly #facts: DocumentFacts;
  readonly #texts: ReportTexts;
  readonly #formats: Formats;

  constructor(facts: DocumentFacts, texts: ReportTexts, formats: Formats) {
    this.#facts = facts;
    this.#texts = texts;
    this.#formats = formats;
  }

  /** All of them, by their numbers. */
  all(): Photo[] {
    return [...this.#photos.values()];
  }

  /** What the appendix or a gallery shows of them. */
  gallery(): Gallery {
    const [photos = [], elsewhere = []] = [false, true].map((isTeaser) =>
      this.all().filter(({ reference }) => this.#teasers.has(reference) === isTeaser),
    );
    return { photos, elsewhere };
  }

  /** The first photo that can be shown, for the summary, whether it is printed elsewhere or not; null without one. */
  teaserOf(...given: Parameters<PhotoBook['photosOf']>): Photo | null {
    const photo = this.photosOf(...given).find(({ size }) => size !== null);
    if (!photo) return null;
    if (photo.isRepeated) this.#teasers.add(photo.reference);
    return { ...photo, isRepeated: false };
  }

  /**
   * The photos among media.
   * @param from the anchor of what shows them
   * @param subject what they show: the question or finding
   */
  photosOf(media: readonly ReportMedia[], from: string, subject: string): Photo[] {
    return media.filter(isPhoto).map((each) => this.#photo(each, from, subject));
  }

  /** The other files among media. */
  filesOf(media: readonly ReportMedia[]): FileLink[] {
    return media
      .filter((each) => !isPhoto(each))
      .map((each) => ({
        name: each.file_name ?? this.#texts.deleted,
        kind: [
          kindOf(each, this.#texts),
          each.size_bytes > 0 ? this.#formats.size(each.size_bytes) : '',
          this.#facts.attached?.has(each.document_id) ? this.#texts.files.attached : '',
        ]
          .filter(Boolean)
          .join(', '),
        caption: each.caption,
        href: this.#facts.hrefOf?.(each.document_id) ?? null,
      }));
  }

  #photo(media: ReportMedia, from: string, subject: string): Photo {
    const { document_id, caption, file_name } = media;
    const known = this.#photos.get(document_id);
    if (known) return { ...known, caption: caption || known.caption, isRepeated: true };
    const number = this.#photos.size + 1;
    const label = inWords(this.#texts.photo, { n: String(number) });
    const facts = this.#facts.images.get(document_id);
    const photo: Photo = {
      anchor: `photo-${number}`,
      isRepeated: false,
      reference: document_id,
      label,
      caption,
      details: this.#details(facts, subject, file_name),
      alt: [label, caption || subject].filter(Boolean).join(': '),
      size: facts ? { width: facts.width, height: facts.height } : null,
      from,
    };
    this.#photos.set(document_id, photo);
    return photo;
  }

  #details(facts: PhotoFacts | undefined, subject: string, fileName: string | null): Paragraph {
    const { takenAt = null, position = null } = facts ?? {};
    const when =
      takenAt && [this.#formats.calendarDate(takenAt.date), this.#formats.timeOfDay(takenAt.time)].join(', ');
    return joined(
      [
        plain(subject),
        // A reader who needs the picture can ask for the file.
        plain(facts ? '' : [this.#texts.notShown, fileName].filter(Boolean).join(': ')),
        plain(when ? inWords(this.#texts.taken, { when }) : ''),
        position ? mapLink(position, this.#formats) : [],
      ],
      ' · ',
    );
  }
}

/** What every part of a document is made from. */
export interface Context {
  payload: ReportPayload;
  facts: DocumentFacts;
  texts: ReportTexts;
  formats: Formats;
  anchors: Anchors;
  photos: PhotoBook;
  count: (forms: Plural, n: number) => string;
}

export const contextOf = (payload: ReportPayload, facts: DocumentFacts): Context => {
  const { language } = payload.report;
  const texts = REPORT_TEXTS[language];
  const formats = formatsOf(payload.organization, language);
  return {
    payload,
    facts,
    texts,
    formats,
    anchors: anchorsOf(payload),
    photos: new PhotoBook(facts, texts, formats),
    count: (forms, n) => pluralText(language, forms, n),
  };
};
