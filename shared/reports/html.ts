import { html, Markup } from '../base/markup.ts';
import type { Score } from '../schemas/inspections/inspection.ts';
import type {
  ReportBlock,
  ReportField,
  ReportFinding,
  ReportMedia,
  ReportPayload,
  ReportSectionScore,
  ReportSignature,
} from '../schemas/reports/report-payload.ts';
import { type Formats, formatsOf, humanize } from './format.ts';
import { STYLE } from './html/style.ts';
import { type EmbeddedImage, type ImageSource, openImages } from './images.ts';
import { percentage, pointsOf, resultTone, SEVERITIES } from './pdf/summary.ts';
import {
  ACTION_TONES,
  INK,
  mix,
  PRIORITY_TONES,
  readable,
  SEVERITY_TONES,
  type Tone,
  TONES,
} from './pdf/theme.ts';
import {
  answeredBy,
  answerText,
  detailsOf,
  figuresOf,
  isUnanswered,
  logoOf,
  type NumberedSection,
  numberedSections,
  photosOf,
  placeholderOf,
  placeOf,
  tallyOf,
} from './shown.ts';

export interface RenderedHtml {
  html: string;
  /** What the reader will miss: images that could not be shown. */
  warnings: string[];
}

/** What every part of a page is made with. */
interface Page {
  payload: ReportPayload;
  formats: Formats;
  sections: NumberedSection[];
  /** The images that could be opened, by document id or storage key. */
  images: ReadonlyMap<string, EmbeddedImage>;
  /** The photos shown so far, by document id, with the number each is known by. */
  photos: Map<string, number>;
}

/** What the page may do wherever it is opened: show itself. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

const PAPER = {
  A4: { portrait: 'A4 portrait', landscape: 'A4 landscape' },
  Letter: { portrait: 'letter portrait', landscape: 'letter landscape' },
} as const;

const RIGHT_TO_LEFT = new Set(['Arab', 'Hebr', 'Syrc', 'Thaa', 'Nkoo', 'Adlm', 'Rohg']);

/** The attributes of a locale's language and direction; an unknown one is English. */
const languageOf = (locale: string): { lang: string; dir: 'ltr' | 'rtl' } => {
  try {
    const { baseName, script } = new Intl.Locale(locale).maximize();
    return {
      lang: new Intl.Locale(baseName).minimize().baseName,
      dir: RIGHT_TO_LEFT.has(script ?? '') ? 'rtl' : 'ltr',
    };
  } catch {
    return { lang: 'en', dir: 'ltr' };
  }
};

const chips = (words: readonly { text: string; tone: Tone }[]): Markup =>
  html`<ul class="chips">
    ${words.map(
      ({ text, tone }) =>
        html`<li class="chip" style="color:${tone.ink};background:${tone.tint}">${text}</li>`,
    )}
  </ul>`;

const dataUri = ({ mime, data }: EmbeddedImage): string => `data:${mime};base64,${data.toString('base64')}`;

const picture = (image: EmbeddedImage, alt: string): Markup =>
  html`<img src="${dataUri(image)}" width="${image.width}" height="${image.height}" alt="${alt}" />`;

/** A photo may be shown with an answer, with its finding and in a gallery, and stands in the page once. */
const photo = (page: Page, reference: string, { width, height }: EmbeddedImage, name: string): Markup => {
  const number = page.photos.get(reference) ?? page.photos.size;
  page.photos.set(reference, number);
  return html`<svg role="img" aria-label="${name}" viewBox="0 0 ${width} ${height}" width="${width}">
    <use href="#photo-${number}" />
  </svg>`;
};

const photoDefinitions = ({ photos, images }: Page): Markup | false =>
  photos.size > 0 &&
  html`<svg class="hidden" aria-hidden="true">
    <defs>
      ${[...photos].map(([reference, number]) => {
        const image = images.get(reference)!;
        return html`<image
          id="photo-${number}"
          href="${dataUri(image)}"
          width="${image.width}"
          height="${image.height}"
        />`;
      })}
    </defs>
  </svg>`;

const said = (text: string): Markup => html`<p dir="auto">${text}</p>`;
const quiet = (text: string, isBad = false): Markup =>
  html`<p class="quiet ${isBad && 'bad'}" dir="auto">${text}</p>`;

/** The header cells of a table's columns. */
const columns = (...names: [name: string, style?: string][]): Markup =>
  html`<thead>
    <tr>
      ${names.map(([name, style]) =>
        name ? html`<th scope="col" class="${style}">${name}</th>` : html`<td></td>`,
      )}
    </tr>
  </thead>`;

const medium = (page: Page, media: ReportMedia): Markup => {
  const { document_id, caption, file_name } = media;
  const image = page.images.get(document_id);
  const shown = image
    ? photo(page, document_id, image, caption.trim() || file_name)
    : html`<div class="file">
        <p class="label">${placeholderOf(media)}</p>
        ${said(file_name)}
      </div>`;
  return html`<li>
    <figure>${shown}${caption.trim() && html`<figcaption dir="auto">${caption}</figcaption>`}</figure>
  </li>`;
};

const gallery = (page: Page, media: readonly ReportMedia[], beside: number): Markup | false =>
  media.length > 0 &&
  page.payload.layout.include.media &&
  html`<ul class="photos" style="--columns:${beside}">
    ${media.map((item) => medium(page, item))}
  </ul>`;

const tiles = (
  figures: readonly { name: string; value: string | number; color?: string | undefined }[],
): Markup =>
  html`<dl class="tiles">
    ${figures.map(
      ({ name, value, color = INK.text }) =>
        html`<div>
          <dt>${name}</dt>
          <dd style="color:${color}">${value}</dd>
        </div>`,
    )}
  </dl>`;

const scoreTiles = (page: Page, score: Score): Markup => {
  const { ink: color } = resultTone(score);
  return tiles([
    { name: 'Score', value: percentage(page, score), color },
    ...(score.result ? [{ name: 'Result', value: humanize(score.result), color }] : []),
  ]);
};

const cover = (page: Page): Markup => {
  const { payload, formats, images } = page;
  const { organization, report, inspection, layout, summary } = payload;
  const logo = images.get(logoOf(payload) ?? '');
  const title = report.title || inspection.name;
  return html`<header class="${layout.cover && 'cover'}">
    <p class="owner" dir="auto">${logo ? picture(logo, organization.name) : organization.name}</p>
    <h1 dir="auto">${title}</h1>
    ${title !== inspection.name && quiet(inspection.name)}
    ${layout.cover && summary.score && scoreTiles(page, summary.score)}
    <dl class="details">
      ${detailsOf(payload, formats).map(
        ({ name, value }) =>
          html`<div>
            <dt>${name}</dt>
            <dd dir="auto">${value}</dd>
          </div>`,
      )}
    </dl>
  </header>`;
};

const summary = ({ payload, sections }: Page): Markup => {
  const { progress, counts, findings } = payload.summary;
  const severities = SEVERITIES.filter((severity) => findings[severity] > 0);
  const found = severities.reduce((sum, severity) => sum + findings[severity], 0);
  const row = (section: NumberedSection): Markup => {
    const { items, unanswered, na, failed } = figuresOf(section);
    return html`<tr>
        <th scope="row" dir="auto">${`${section.number} ${section.title}`}</th>
        ${[items, unanswered, na].map((figure) => html`<td class="count">${figure}</td>`)}
        <td class="count ${failed > 0 && 'bad'}">${failed}</td>
      </tr>
      ${section.sections.map(row)}`;
  };
  return html`${tiles([
    { name: 'Answered', value: `${progress.answered} / ${progress.total}` },
    { name: 'Failed', value: counts.failed, color: counts.failed > 0 ? TONES.bad.ink : undefined },
    { name: 'Not applicable', value: counts.na },
    { name: 'Findings', value: found, color: found > 0 ? TONES.warning.ink : undefined },
  ])}
  ${
    found > 0 &&
    chips(severities.map((name) => ({ text: `${findings[name]} ${name}`, tone: SEVERITY_TONES[name] })))
  }
  ${
    sections.length > 0 &&
    html`<table class="rows">
      <caption class="hidden">
        Sections in figures
      </caption>
      ${columns(['Section'], ...['Items', 'Unanswered', 'N/A', 'Failed'].map((name): [string, string] => [name, 'count']))}
      <tbody>
        ${sections.map(row)}
      </tbody>
    </table>`
  }`;
};

/** A share between 0 and 100 as a bar; what it is stands beside it in words. */
const bar = (share: number | null, color: string): Markup =>
  html`<div class="bar" aria-hidden="true">
    <div style="inline-size:${Math.min(100, Math.max(0, share ?? 0))}%;background:${color}"></div>
  </div>`;

const sectionScores = (page: Page): Markup | false => {
  const { section_scores } = page.payload.summary;
  const row = (section: ReportSectionScore): Markup => {
    const { title, depth, passing_score, result } = section;
    const { ink } = resultTone(section);
    const needed = passing_score === null ? '' : `needs ${page.formats.percentage(passing_score)}`;
    return html`<tr>
      <th scope="row" dir="auto" style="padding-inline-start:${depth * 0.75 - 0.25}rem">${title}</th>
      <td>${bar(section.percentage, result ? ink : 'var(--theme)')}</td>
      <td class="count">${percentage(page, section)}</td>
      <td class="count quiet">${section.percentage !== null && pointsOf(page, section)}</td>
      <td class="count" style="color:${ink}">
        ${[result ? humanize(result) : '', needed].filter(Boolean).join(', ')}
      </td>
    </tr>`;
  };
  return (
    section_scores.length > 1 &&
    html`<table class="rows">
      <caption class="hidden">
        Sections and their scores
      </caption>
      ${columns(['Section'], [''], ['Score', 'count'], ['Points', 'count'], ['Result', 'count'])}
      <tbody>
        ${section_scores.map(row)}
      </tbody>
    </table>`
  );
};

const score = (page: Page): Markup | false => {
  const { score: total } = page.payload.summary;
  return (
    total !== null &&
    html`<div class="score">
        ${scoreTiles(page, total)} ${bar(total.percentage, resultTone(total).ink)}
        ${quiet(pointsOf(page, total))}
      </div>
      ${sectionScores(page)}`
  );
};

const finding = (page: Page, beside: number, shown: ReportFinding): Markup => {
  const { number, label, severity, status, origin, description, root_cause, recommendation } = shown;
  const parts: [name: string, text: string][] = [
    ['Description', description],
    ['Root cause', root_cause],
    ['Recommendation', recommendation],
  ];
  const where = placeOf(shown);
  return html`<article class="finding" style="--tone:${SEVERITY_TONES[severity].ink}">
    <h3 dir="auto">${label}</h3>
    ${quiet(`Finding ${number}`)} ${where && quiet(where)}
    ${chips([
      { text: severity, tone: SEVERITY_TONES[severity] },
      { text: status, tone: status === 'resolved' ? TONES.good : TONES.neutral },
      ...(origin === 'issue' ? [{ text: 'From an issue', tone: TONES.neutral }] : []),
    ])}
    ${parts.map(
      ([name, text]) =>
        text.trim() &&
        html`<h4 class="label">${name}</h4>
          ${said(text)}`,
    )}
    ${gallery(page, shown.media, beside)}
  </article>`;
};

const correctiveActions = ({ payload, formats }: Page): Markup =>
  html`<table class="rows">
    <caption class="hidden">
      Corrective actions
    </caption>
    ${columns(['No.', 'number'], ['Action'], ['Assigned to'], ['Due'])}
    <tbody>
      ${payload.corrective_actions.map(
        (action) =>
          html`<tr>
            <td class="number">${action.number}</td>
            <th scope="row">
              <strong dir="auto">${action.title}</strong>
              ${chips([
                { text: `${action.priority} priority`, tone: PRIORITY_TONES[action.priority] },
                { text: humanize(action.status), tone: ACTION_TONES[action.status] },
                { text: `Finding ${action.finding_number}`, tone: TONES.neutral },
              ])}
              ${action.description.trim() && said(action.description)}
              ${action.completion_note.trim() && said(`Done: ${action.completion_note}`)}
            </th>
            <td dir="auto">${action.assignee_name ?? '—'}</td>
            <td class="${action.is_overdue && 'bad'}">
              ${action.due_at ? formats.date(action.due_at) : '—'}
              ${action.is_overdue && html`<p>Overdue</p>`}
              ${action.verified_at && html`<p>${`Verified ${formats.date(action.verified_at)}`}</p>`}
            </td>
          </tr>`,
      )}
    </tbody>
  </table>`;

const answer = (field: ReportField, formats: Formats): Markup | false => {
  if (field.type === 'instruction') return false;
  if (isUnanswered(field)) return html`<span role="img" aria-label="Unanswered">—</span>`;
  const text = answerText(field);
  const by = answeredBy(field, formats);
  const marks = [
    ...(field.is_failed ? [{ text: 'Failed', tone: TONES.bad }] : []),
    ...(field.is_na ? [{ text: 'N/A', tone: TONES.neutral }] : []),
  ];
  return html`${text.trim() && html`<div dir="auto">${text}</div>`}${marks.length > 0 && chips(marks)}${by && quiet(by)}`;
};

const item = (page: Page, field: ReportField, number: number): Markup => {
  const { include } = page.payload.layout;
  const note =
    include.notes &&
    field.note.trim() &&
    html`<p class="label">Note</p>
      ${said(field.note)}`;
  const photos = gallery(page, field.media, 4);
  return html`<tbody class="item ${field.is_failed && 'failed'}">
    <tr>
      <td class="number">${number}</td>
      <th scope="row">
        <div dir="auto">${field.label}</div>
        ${field.help?.trim() && quiet(field.help)}
      </th>
      <td class="answer">${answer(field, page.formats)}</td>
    </tr>
    ${
      (note || photos) &&
      html`<tr>
        <td></td>
        <td colspan="2">${note}${photos}</td>
      </tr>`
    }
  </tbody>`;
};

const part = (page: Page, section: NumberedSection, depth = 3): Markup => {
  const { description, fields, sections } = section;
  const title = `${section.number} ${section.title}`;
  const heading = new Markup(`h${Math.min(depth, 6)}`);
  const figures = figuresOf(section);
  return html`<section class="part">
    <div class="title">
      <${heading} dir="auto">${title}</${heading}>
      ${quiet(tallyOf(figures), figures.failed > 0)}
    </div>
    ${description.trim() && said(description)}
    ${fields.length + sections.length === 0 && quiet('No items in this section.')}
    ${
      fields.length > 0 &&
      html`<table>
        <caption class="hidden">
          ${title}
        </caption>
        ${columns(['No.', 'number'], ['Item'], ['Answer', 'answer'])}
        ${fields.map((field, position) => item(page, field, position + 1))}
      </table>`
    }
    ${sections.map((nested) => part(page, nested, depth + 1))}
  </section>`;
};

const signature = ({ images, formats }: Page, signed: ReportSignature): Markup => {
  const { label, signed_name, signed_at, document_id, typed } = signed;
  const image = images.get(document_id ?? '');
  const mark = typed ?? (document_id !== null && 'Signature cannot be shown');
  return html`<li class="signature">
    <div class="mark" dir="auto">${image ? picture(image, `Signature of ${signed_name}`) : mark}</div>
    <p dir="auto"><strong>${signed_name || '—'}</strong></p>
    ${quiet(label)}${quiet(signed_at ? formats.dateTime(signed_at) : 'Not signed')}
  </li>`;
};

/** A block's usual title and what stands below it; nothing for a block that has nothing to show. */
const blockOf = (page: Page, { kind, options }: ReportBlock): [title: string, content: Markup | false] => {
  const { findings, corrective_actions, signatures } = page.payload;
  const { photo_columns } = options;
  switch (kind) {
    case 'summary':
      return ['Summary', summary(page)];
    case 'score':
      return ['Score', score(page)];
    case 'findings':
      return [
        'Findings',
        findings.length > 0
          ? html`${findings.map((shown) => finding(page, photo_columns ?? 3, shown))}`
          : quiet('No findings were recorded.'),
      ];
    case 'corrective_actions':
      return ['Corrective actions', corrective_actions.length > 0 && correctiveActions(page)];
    case 'sections':
      return [
        'Inspection record',
        page.sections.length > 0 && html`${page.sections.map((each) => part(page, each))}`,
      ];
    case 'media':
      return [
        'Photos',
        gallery(page, [...photosOf(page.payload, page.sections).values()], photo_columns ?? 2),
      ];
    case 'signatures':
      return [
        'Signatures',
        signatures.length > 0 &&
          html`<ul class="signatures">
            ${signatures.map((signed) => signature(page, signed))}
          </ul>`,
      ];
    case 'text':
      return ['', said(options.text ?? '')];
  }
};

const block = (page: Page, given: ReportBlock, position: number): Markup | false => {
  const [usual, content] = blockOf(page, given);
  const title = given.options.title ?? usual;
  if (!content || !title) return content;
  const id = `block-${position}`;
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}" dir="auto">${title}</h2>
    ${content}
  </section>`;
};

/**
 * A report as one page that needs nothing else: images are in it, nothing in it runs, and nothing is loaded. A
 * payload's text cannot harm it: whatever the strings hold, they are shown as text.
 */
export const renderHtml = async (payload: ReportPayload, source: ImageSource): Promise<RenderedHtml> => {
  const { layout, organization, report, inspection } = payload;
  const formats = formatsOf(organization);
  const sections = numberedSections(payload.sections, layout.include);
  const warnings: string[] = [];
  const images = await openImages(payload, sections, source, warnings);
  const page: Page = { payload, formats, sections, images, photos: new Map() };
  const { lang, dir } = languageOf(organization.locale);
  const color = readable(layout.theme.primary_color);
  const title = report.title || inspection.name;
  const { text } = html`<!doctype html>
    <html lang="${lang}" dir="${dir}">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${[title, organization.name].join(' – ')}</title>
        <style>
          ${new Markup(`${STYLE}@page{size:${PAPER[layout.page_size][layout.orientation]};margin:18mm 16mm}`)}
        </style>
      </head>
      <body style="--theme:${color};--tint:${mix(color, INK.white, 0.91)}">
        <main>
          ${cover(page)} ${layout.blocks.map((each, position) => block(page, each, position))}
          ${photoDefinitions(page)}
          <footer>
            ${quiet(`No. ${inspection.number} · ${inspection.name}`)}
            ${quiet(`Generated ${formats.dateTime(report.generated_at)} · version ${report.version}`)}
          </footer>
        </main>
      </body>
    </html>`;
  return { html: text, warnings };
};
