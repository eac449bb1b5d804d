import type { Fact, ReportDocument } from '../document/document.ts';
import { type Content, SIZE, type Word } from './word.ts';

/** Names with their values, a pair in a row. They stay on the page of what follows them. */
export const drawFacts = (word: Word, facts: readonly Fact[]): Content[] =>
  word.grid(
    facts.flatMap(({ name, value }) => [
      [word.quiet(name, { keepNext: true })],
      word.paragraphs(value, {}, { keepNext: true }),
    ]),
    [1, 3],
  );

/** The cover as the first page, or what begins the first page of a report without one. */
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
    word.text(title, { bold: true, size: cover ? 48 : 36 }),
    word.paragraph([
      ...word.runs(number, { color: word.ink.muted }),
      ...(verdict ? word.chips([verdict]) : []),
      ...(draft === null ? [] : word.runs(`   ${draft}`, { bold: true, color: word.ink.bad })),
    ]),
    ...drawFacts(word, facts),
    ...(cover ? [word.paragraph([], { pageBreakBefore: true })] : []),
  ];
};
