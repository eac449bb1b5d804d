import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import {
  type ContentIndex,
  indexContent,
  type Question,
} from '../../../../shared/domain/content/content-index.ts';
import type { Section } from '../../../../shared/schemas/templates/content.ts';
import type { Family } from '../../../../shared/schemas/templates/family.ts';
import type { Template, TemplateVersion } from '../../../../shared/schemas/templates/template.ts';
import { ARROW, fill, numberText } from '../formats.ts';
import { type Loaded, useLoaded, usePages } from '../hooks.ts';
import { t, words } from '../page.ts';
import { addressOfPlace, keepInAddress } from '../route.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { SelectField } from '../ui/fields.tsx';
import { Chip, type Mood, Skeleton, TimeOrDash } from '../ui/parts.tsx';
import { type Column, More, Table } from '../ui/table.tsx';
import { Attributes, AttributeValue, attributeName, Many } from './attributes.tsx';
import { withLabels } from './condition-text.ts';
import { type Change, type Differences, differencesOf, type Part } from './differences.ts';
import { Person } from './links.tsx';

const x = t.template;

const MOODS: Record<TemplateVersion['status'], Mood> = { draft: 'warn', published: 'good', superseded: '' };

const STATUSES: Record<TemplateVersion['status'], string> = {
  draft: words.draft,
  published: t.explore.published,
  superseded: x.superseded,
};

type Numbered = Pick<TemplateVersion, 'version_number'>;

const versionText = ({ version_number }: Numbered): string =>
  fill(t.explore.version, { n: numberText(version_number) });

const HEADINGS = ['h3', 'h4', 'h5', 'h6'] as const;

/** The heading of a section, by its depth from 1. */
const SectionHeading = ({ depth, children }: { depth: number; children: JSX.Element }) => {
  const Name = HEADINGS[Math.min(depth, HEADINGS.length) - 1]!;
  return <Name>{children}</Name>;
};

const SHOWN_APART = ['label', 'title', 'name', 'type', 'required', 'critical'];

const OneQuestion = ({ question, index }: { question: Question; index: ContentIndex }) => (
  <>
    <strong>
      <bdi>{withLabels(question.label, index)}</bdi>
    </strong>{' '}
    <Chip mood="">{x.types[question.type]}</Chip> {question.required && <Chip mood="">{words.required}</Chip>}{' '}
    {'critical' in question && question.critical && <Chip mood="bad">{words.critical}</Chip>}
    <Attributes
      part={question}
      apart={SHOWN_APART}
      index={index}
      id={'id' in question ? question.id : question.key}
    />
  </>
);

interface SectionProps {
  title: string;
  count: number;
  depth: number;
  isOpen: boolean;
  /** Draws what is in it, once it is opened. */
  draw: () => JSX.Element;
}

/** A part of a content that is drawn when somebody opens it, so that a thousand questions cost nothing before. */
const Folded = ({ title, count, depth, isOpen, draw }: SectionProps) => {
  const [isDrawn, setIsDrawn] = useState(isOpen);
  return (
    <details
      class="section"
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) setIsDrawn(true);
      }}
    >
      <summary>
        <SectionHeading depth={depth}>
          <>
            <bdi>{title}</bdi> <span class="more">{numberText(count)}</span>
          </>
        </SectionHeading>
      </summary>
      {isDrawn && draw()}
    </details>
  );
};

/** The questions in a section and in those below it. */
const countOf = ({ fields, sections }: Pick<Section, 'fields' | 'sections'>): number =>
  fields.length + sections.reduce((sum, inner) => sum + countOf(inner), 0);

const Questions = ({ questions, index }: { questions: readonly Question[]; index: ContentIndex }) => (
  <Many rows={questions} few={100} draw={(question) => <OneQuestion question={question} index={index} />} />
);

interface OneSectionProps {
  section: Section;
  index: ContentIndex;
  depth: number;
  isOpen: boolean;
}

const OneSection = ({ section, index, depth, isOpen }: OneSectionProps): JSX.Element => (
  <Folded
    title={withLabels(section.title, index)}
    count={countOf(section)}
    depth={depth}
    isOpen={isOpen}
    draw={() => (
      <>
        <Attributes part={section} apart={SHOWN_APART} index={index} id={section.id} />
        {section.fields.length > 0 && <Questions questions={section.fields} index={index} />}
        {section.sections.map((inner) => (
          <OneSection key={inner.id} section={inner} index={index} depth={depth + 1} isOpen={isOpen} />
        ))}
      </>
    )}
  />
);

/** Questions of a template that is shown unfolded. */
const MAX_UNFOLDED = 20;

/** What a version asks. */
const Asked = ({ template }: { template: Template }) => {
  const { content } = template;
  const index = indexContent(content);
  const start = content.start.fields;
  const count = start.length + countOf({ fields: [], sections: content.sections });
  const isOpen = count <= MAX_UNFOLDED;
  const { scoring } = content;
  return (
    <>
      {scoring.enabled && (
        <Attributes
          part={{ 'scoring.method': scoring.method, 'scoring.passing_score': scoring.passing_score }}
          apart={[]}
          index={index}
          id=""
        />
      )}
      {count === 0 && <p class="help">{x.none}</p>}
      {start.length > 0 && (
        <Folded
          title={x.start}
          count={start.length}
          depth={1}
          isOpen={isOpen}
          draw={() => <Questions questions={start} index={index} />}
        />
      )}
      {content.sections.map((section) => (
        <OneSection key={section.id} section={section} index={index} depth={1} isOpen={isOpen} />
      ))}
    </>
  );
};

const PARTS: Record<Part['kind'], string> = {
  section: words.section,
  question: words.question,
  start: x.start,
  options: x.options,
  content: words.template,
};

const PartName = ({ part, index }: { part: Part; index: ContentIndex }) => (
  <>
    <strong>
      <bdi>{withLabels(part.title, index) || PARTS[part.kind]}</bdi>
    </strong>{' '}
    {part.title && <Chip mood="">{PARTS[part.kind]}</Chip>}
    {part.within && (
      <span class="sub">
        <bdi>{withLabels(part.within, index)}</bdi>
      </span>
    )}
  </>
);

interface ChangesProps {
  id: string;
  changes: readonly Change[];
  before: ContentIndex;
  after: ContentIndex;
}

const Changes = ({ id, changes, before, after }: ChangesProps) => (
  <dl class="facts">
    {changes.map(({ attribute, from, to }) => (
      <div key={attribute}>
        <dt>{attributeName(attribute)}</dt>
        <dd class="change">
          <del>
            <AttributeValue index={before} id={id} name={attribute} value={from} />
          </del>{' '}
          <span aria-hidden="true">{ARROW}</span>{' '}
          <ins>
            <AttributeValue index={after} id={id} name={attribute} value={to} />
          </ins>
        </dd>
      </div>
    ))}
  </dl>
);

const isNothing = ({ added, removed, changed, isReordered }: Differences): boolean =>
  added.length + removed.length + changed.length === 0 && !isReordered;

/** What is different in the later of two versions. */
const Different = ({ versions }: { versions: [Template, Template] }) => {
  const [earlier, later] = versions.toSorted((a, b) => a.version_number - b.version_number) as [
    Template,
    Template,
  ];
  const differences = differencesOf(earlier.content, later.content);
  const [before, after] = [indexContent(earlier.content), indexContent(later.content)];
  const { added, removed, changed, isReordered } = differences;
  const listed = (title: string, parts: readonly Part[], index: ContentIndex) =>
    parts.length > 0 && (
      <>
        <h4>
          {title} <span class="more">{numberText(parts.length)}</span>
        </h4>
        <Many rows={parts} draw={(part) => <PartName part={part} index={index} />} />
      </>
    );
  return (
    <section class="card differences">
      <h3>
        {fill(x.differences, {
          from: numberText(earlier.version_number),
          to: numberText(later.version_number),
        })}
      </h3>
      {isNothing(differences) && <p>{x.same}</p>}
      {listed(x.added, added, after)}
      {listed(x.removed, removed, before)}
      {changed.length > 0 && (
        <>
          <h4>
            {t.explore.changed} <span class="more">{numberText(changed.length)}</span>
          </h4>
          <Many
            rows={changed}
            draw={(part) => (
              <>
                <PartName part={part} index={after} />
                <Changes id={part.id} changes={part.changes} before={before} after={after} />
              </>
            )}
          />
        </>
      )}
      {isReordered && <p>{x.reordered}</p>}
    </section>
  );
};

const Compared = ({ template, id }: { template: Template; id: string }) => {
  const other = useLoaded<Template>(`/v1/templates/${id}`);
  return (
    <>
      <Waiting of={other} />
      {other.value && <Different versions={[template, other.value]} />}
    </>
  );
};

/** What stands for a version until it is read. */
const Waiting = ({ of }: { of: Loaded<Template> }) => (
  <>
    <FailureNotice failure={of.failure} onRetry={() => void of.reload()} />
    {!of.value && !of.failure && <Skeleton />}
  </>
);

interface ChosenProps {
  id: string;
  compared: string;
  options: (also?: TemplateVersion) => [string, string][];
}

/** A version with its content, and the choice of it and of another one. Both are kept in the address. */
const Chosen = ({ id, compared, options }: ChosenProps) => {
  const template = useLoaded<Template>(`/v1/templates/${id}`);
  const all = options(template.value);
  return (
    <>
      <div class="pair">
        <SelectField
          label={words.workbook.templateVersion}
          value={id}
          options={all}
          onChange={(version) => keepInAddress({ version, compare: compared === version ? '' : compared })}
        />
        {all.length > 1 && (
          <SelectField
            label={x.compare}
            value={compared}
            options={[['', '–'], ...all.filter(([version]) => version !== id)]}
            onChange={(compare) => keepInAddress({ version: id, compare })}
          />
        )}
      </div>
      <Waiting of={template} />
      {template.value && compared && <Compared template={template.value} id={compared} />}
      {template.value && <Asked key={id} template={template.value} />}
    </>
  );
};

/** What a template asks, in each of its versions. */
export const TemplateContent = ({ row }: { row: Family }) => {
  const { id, current_version_id, draft_version_id } = row;
  const versions = usePages<TemplateVersion>(`/v1/templates/families/${id}/versions`);
  const heading = useRef<HTMLHeadingElement>(null);
  const asked = new URLSearchParams(location.search);
  const chosen = asked.get('version') || current_version_id || draft_version_id;
  const options = (also?: TemplateVersion): [string, string][] => {
    const listed = versions.value ?? [];
    const isListed = !also || listed.some((version) => version.id === also.id);
    return (isListed ? listed : [...listed, also]).map((version) => [
      version.id,
      `${versionText(version)} · ${STATUSES[version.status]}`,
    ]);
  };
  const columns: Column<TemplateVersion>[] = [
    {
      title: words.workbook.templateVersion,
      cell: (version) => (
        <a
          href={addressOfPlace('templates', id, { version: version.id })}
          onClick={() => heading.current?.focus()}
        >
          {versionText(version)}
        </a>
      ),
    },
    {
      title: t.common.status,
      cell: ({ status }) => <Chip mood={MOODS[status]}>{STATUSES[status]}</Chip>,
    },
    { title: t.explore.published, cell: ({ published_at }) => <TimeOrDash at={published_at} /> },
    { title: t.audit.who, cell: ({ published_by }) => <Person id={published_by} /> },
    { title: x.note, cell: ({ change_note }) => <bdi>{change_note ?? '–'}</bdi> },
  ];
  return (
    <>
      <section class="part">
        <h2 tabIndex={-1} ref={heading}>
          {x.questions}
        </h2>
        {chosen && <Chosen id={chosen} compared={asked.get('compare') ?? ''} options={options} />}
      </section>
      <section class="part">
        <h2>{x.versions}</h2>
        <FailureNotice failure={versions.failure} onRetry={() => void versions.reload()} />
        {!versions.value && !versions.failure && <Skeleton />}
        {versions.value && versions.value.length > 0 && (
          <Table
            caption={x.versions}
            columns={columns}
            rows={versions.value}
            keyOf={(version) => version.id}
          />
        )}
        <More more={versions.more} isLoading={versions.isLoading} />
      </section>
    </>
  );
};
