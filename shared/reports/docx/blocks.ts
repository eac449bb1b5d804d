import { BorderStyle } from 'docx';
import type {
  Fact,
  ReportDocument,
  ActionCard,
  Block,
  CorrectionsBlock,
  FindingCard,
  ScoreBlock,
  SignaturesBlock,
  SummaryBlock,
  Closing,
} from '../document/document.ts';
import { drawFiles, drawSection } from './sections.ts';
import { type Content, SIZE, type Turned, type Word } from './word.ts';

/** Names with their values, a pair in a row. They stay on the page of what follows them. */
const drawFacts = (word: Word, facts: readonly Fact[]): Content[] =>
  word.grid(
    facts.flatMap(({ name, value }) => [
      [word.quiet(name, { keepNext: true })],
      word.paragraphs(value, {}, { keepNext: true }),
    ]),
    [1, 3],
  );

/** The cover as the first page; without a cover, the beginning of the first page. */
export const drawCover = (word: Word, { cover, masthead, draft, color }: ReportDocument): Content[] => {
  const { kind, title, number, logo, organization, facts } = cover ?? masthead;
  const verdict = cover?.verdict ?? null;
  const { picture } = {
    picture: logo === null ? [] : word.picture(logo, organization, { width: 200, height: 80 }),
  };
  return [
    ...(picture.length > 0 ? [word.paragraph(picture)] : []),
    word.text(organization, { size: SIZE.large }),
    word.text(
      kind,
      { size: SIZE.large, color: color.slice(1) },
      { spacing: { before: cover ? 1_800 : 200 } },
    ),
    // The rule in the colour of the report, as on the cover of the PDF.
    word.text(
      title,
      { bold: true, size: cover ? 48 : 36 },
      { border: { bottom: { style: BorderStyle.SINGLE, size: 18, color: color.slice(1), space: 6 } } },
    ),
    word.paragraph([
      ...word.runs(number, { color: word.ink.muted }),
      ...(verdict ? word.chips([verdict]) : []),
      ...(draft === null ? [] : word.runs(`   ${draft}`, { bold: true, color: word.ink.bad })),
    ]),
    ...drawFacts(word, facts),
    ...(cover ? [word.paragraph([], { pageBreakBefore: true })] : []),
  ];
};

const drawTexts = (word: Word, texts: FindingCard['texts']): Content[] =>
  texts.flatMap(({ heading, paragraphs }) => [
    word.text(heading, { bold: true, size: SIZE.small, color: word.ink.muted }, { keepNext: true }),
    ...word.paragraphs(paragraphs),
  ]);

const drawSummary = (word: Word, block: SummaryBlock): Content[] => {
  const { notice, verdict, score, figures, severities, worst, actions, sections } = block;
  const named = (name: string, value: string) => [
    word.text(value, { bold: true, size: SIZE.large }, { keepNext: true }),
    word.quiet(name),
  ];
  const tiles = (some: SummaryBlock['figures']) =>
    word.grid(
      some.map(({ name, value }) => named(name, value)),
      Math.max(1, Math.min(4, some.length)),
    );
  return [
    ...(notice === null ? [] : [word.text(notice)]),
    ...(verdict ? [word.paragraph(word.chips([verdict.chip])), ...word.paragraphs(verdict.reasons)] : []),
    ...(score
      ? [
          word.text(score.text, { bold: true, size: 36 }),
          ...[score.passingText, score.change].flatMap((line) => (line === null ? [] : [word.quiet(line)])),
        ]
      : []),
    ...tiles(figures),
    ...(severities.length > 0 ? [word.paragraph(word.chips(severities))] : []),
    ...(worst
      ? [
          word.text(worst.heading, { bold: true }, { keepNext: true }),
          ...worst.findings.map(({ to, number, title, chips, place }) =>
            word.paragraph([
              ...word.words([{ text: `${number}. ${title}`, to }]),
              ...word.chips(chips),
              ...word.runs(place === '' ? '' : `\n${place}`, { size: SIZE.small, color: word.ink.muted }),
            ]),
          ),
        ]
      : []),
    ...(actions
      ? [word.text(actions.heading, { bold: true }, { keepNext: true }), ...tiles(actions.figures)]
      : []),
    ...(sections
      ? [
          word.text(sections.heading, { bold: true }, { keepNext: true }),
          ...sections.bars.map(({ to, title, text }) =>
            word.paragraph([
              ...word.words([{ text: title, ...(to !== null && { to }) }]),
              ...word.runs(`   ${text}`, { bold: true }),
            ]),
          ),
        ]
      : []),
  ];
};

const scoreTable = (word: Word, columns: ScoreBlock['columns'], rows: ScoreBlock['rows']): Content => {
  const kept = <Cell>(cells: readonly Cell[]) => cells.filter((_, n) => columns[n] !== '');
  const cells = ({ to, depth, title, points, percentage, passing, result }: ScoreBlock['rows'][number]) => [
    [
      word.paragraph(word.words([{ text: title, ...(to !== null && { to }) }]), {
        indent: { start: (depth - 1) * 200 },
      }),
    ],
    [word.text(points)],
    [word.text(percentage)],
    [word.text(passing)],
    [word.paragraph(result ? word.chips([result]) : [])],
  ];
  return word.table(
    kept(columns),
    rows.map((row) => kept(cells(row))),
    kept([8, 2, 2, 2, 2]),
  );
};

const drawScore = (word: Word, { total, columns, rows }: ScoreBlock): Content[] => [
  word.paragraph([
    ...word.runs(`${total.title}   `),
    ...word.runs(total.text, { bold: true, size: SIZE.large }),
  ]),
  scoreTable(word, columns, rows),
];

/** Photos of before and after beside each other. */
const drawStages = (word: Word, { before, after }: ActionCard): Content[] =>
  word.grid(
    [before, after].flatMap((stage) =>
      stage
        ? [
            [
              word.text(stage.heading, { bold: true, size: SIZE.small }, { keepNext: true }),
              ...word.photos(stage.photos, 1),
            ],
          ]
        : [],
    ),
    2,
  );

const drawAction = (word: Word, action: ActionCard): Content[] => [
  word.heading(
    { anchor: action.anchor, text: [action.number, action.title].filter(Boolean).join(' ') },
    3,
    word.chips(action.chips),
  ),
  ...drawFacts(word, action.facts),
  ...drawTexts(word, action.texts),
  ...drawStages(word, action),
  ...drawFiles(word, action.files),
];

const drawFinding = (word: Word, finding: FindingCard, photoColumns: number): Content[] => [
  word.heading(
    { anchor: finding.anchor, text: `${finding.number}. ${finding.title}` },
    2,
    word.chips(finding.chips),
  ),
  word.paragraph(
    [
      ...word.words(finding.place, { size: SIZE.small }),
      ...word.runs(`   ${finding.reference}`, { size: SIZE.small, color: word.ink.muted }),
    ],
    { keepNext: finding.texts.length + finding.photos.length > 0 },
  ),
  ...drawTexts(word, finding.texts),
  ...word.photos(finding.photos, photoColumns),
  ...drawFiles(word, finding.files),
  ...finding.actions.flatMap((action) => drawAction(word, action)),
];

const drawSignatures = (word: Word, { signatures }: SignaturesBlock): Content[] =>
  word.grid(
    signatures.map(({ label, name, signed, image, typed, remark }) => [
      word.text(label, { size: SIZE.small, color: word.ink.muted }),
      word.paragraph(
        image === null
          ? word.runs(typed ?? '', { italics: true, size: 36 })
          : word.picture(image, name, { width: 240, height: 90 }),
      ),
      word.text(name, { bold: true }),
      word.quiet([signed, remark].filter(Boolean).join(' · ')),
    ]),
    2,
  );

const drawCorrections = (word: Word, { columns, corrections }: CorrectionsBlock): Content[] =>
  corrections.flatMap(({ anchor, title, facts, reason, changes }) => [
    word.heading({ anchor, text: title }, 2),
    ...word.paragraphs(reason),
    ...drawFacts(word, facts),
    ...(changes.length > 0
      ? [
          word.table(
            columns,
            changes.map(({ place, before, after, by }) => [
              [word.paragraph(word.words(place))],
              word.paragraphs(before),
              word.paragraphs(after),
              [word.quiet(by)],
            ]),
            [3, 3, 3, 2],
          ),
        ]
      : []),
  ]);

/** The most pixels of a side of a photo in a gallery. */
const GALLERY_SIDE = 260;

const contentOf = (word: Word, block: Block): (Content | Turned)[] => {
  switch (block.kind) {
    case 'summary':
      return drawSummary(word, block);
    case 'score':
      return drawScore(word, block);
    case 'findings':
      return [
        ...(block.empty === null ? [] : [word.text(block.empty)]),
        ...block.findings.flatMap((finding) => drawFinding(word, finding, block.photoColumns)),
      ];
    case 'corrective_actions':
      return [
        word.table(
          block.columns,
          block.rows.map(({ number, title, finding, assignee, due, status }) => [
            [word.text(number)],
            [word.paragraph(word.words(title))],
            [word.paragraph(word.words(finding))],
            [word.text(assignee)],
            [word.text(due)],
            [word.paragraph(word.chips([status]))],
          ]),
          [1, 4, 4, 3, 3, 3],
        ),
      ];
    case 'sections':
      return [
        ...(block.comparedWith === null ? [] : [word.quiet(block.comparedWith, { keepNext: true })]),
        ...block.sections.flatMap((section) => drawSection(word, section, block.photoColumns)),
      ];
    case 'media':
      return word.gallery(block, block.photoColumns, GALLERY_SIDE);
    case 'signatures':
      return drawSignatures(word, block);
    case 'corrections':
      return drawCorrections(word, block);
    case 'text':
      return word.paragraphs(block.paragraphs);
  }
};

/** A block of the report under its heading. */
export const drawBlock = (word: Word, block: Block): (Content | Turned)[] => [
  ...(block.heading ? [word.heading(block.heading, 1)] : []),
  ...contentOf(word, block),
];

/** How a reader verifies the report, with the QR code beside it. */
export const drawClosing = (word: Word, { heading, sentence, hashName, hash, qr }: Closing): Content[] => {
  const words = [
    word.text(heading, { bold: true }, { keepNext: true }),
    word.quiet(sentence),
    ...(hash === null
      ? []
      : [
          word.paragraph([
            ...word.runs(`${hashName} `, { bold: true, size: SIZE.small }),
            ...word.runs(hash, { size: SIZE.small }),
          ]),
        ]),
  ];
  const code = qr === null ? [] : [word.paragraph([word.code(qr)])];
  return [word.text(''), ...word.grid([words, code], [5, 1])];
};
