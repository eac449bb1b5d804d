import type { ReportTexts } from '../../i18n/texts/report.ts';
import type { ReportMedia } from '../../schemas/reports/report-answer.ts';
import type { Formats } from '../presentation/format.ts';
import type { FileLink, Paragraph, Photo } from './document.ts';
import type { DocumentFacts, PhotoFacts } from './facts.ts';
import { mapLink } from './maps.ts';
import { inWords, joined, plain } from './spans.ts';

const kindOf = ({ mime_type }: ReportMedia, { files }: ReportTexts): string => {
  if (mime_type === 'application/pdf') return files.pdf;
  const [group] = mime_type.split('/');
  return group === 'image' || group === 'video' || group === 'audio' ? files[group] : files.file;
};

export const isPhoto = ({ mime_type }: ReportMedia): boolean => mime_type.startsWith('image/');

/** The photos of a document, numbered in the order in which they are first shown. */
export class PhotoBook {
  readonly #photos = new Map<string, Photo>();
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
    if (known) return caption === known.caption ? known : { ...known, caption: caption || known.caption };
    const number = this.#photos.size + 1;
    const label = inWords(this.#texts.photo, { n: String(number) });
    const facts = this.#facts.images.get(document_id);
    const photo: Photo = {
      anchor: `photo-${number}`,
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
