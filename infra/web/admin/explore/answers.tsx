import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CorrectiveAction } from '../../../../shared/schemas/corrective-action.ts';
import type { Finding } from '../../../../shared/schemas/finding.ts';
import type { AnswerRecord } from '../../../../shared/schemas/inspections/answer.ts';
import type { Inspection } from '../../../../shared/schemas/inspections/inspection.ts';
import type { InspectionSection, SectionInstance } from '../../../../shared/schemas/inspections/outline.ts';
import type { InspectionWithParts } from '../../../../shared/schemas/inspections/parts.ts';
import type { Content, Section } from '../../../../shared/schemas/templates/content.ts';
import type { Snapshot } from '../../../../shared/schemas/templates/template.ts';
import { Failure, read } from '../api.ts';
import { fill, numberText, percentText } from '../formats.ts';
import { type Loaded, useLoaded } from '../hooks.ts';
import { t, words } from '../page.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { Button, Chip, Skeleton, Time } from '../ui/parts.tsx';
import { AnswerHistory } from './answer-history.tsx';
import { GivenAnswer, isGiven, type Question, ValueName } from './given.tsx';
import { LinkTo, Person, titleOf } from './links.tsx';
import { pathOf } from './paths.ts';
import { Pictures } from './pictures.tsx';

/** A question that the address names. */
interface Target {
  section: string;
  /** Empty for the section itself. */
  field: string;
  path: string;
}

const targetIn = (search: string): Target | undefined => {
  const query = new URLSearchParams(search);
  const section = query.get('section');
  return section ? { section, field: query.get('field') ?? '', path: query.get('path') ?? '' } : undefined;
};

/** The query by which the page of an inspection opens at the question of a finding; undefined where it has none. */
export const queryOfAnswer = ({
  section_id: section,
  field_id: field,
  instance_path: path,
}: Pick<Finding, 'section_id' | 'field_id' | 'instance_path'>): Record<string, string> | undefined =>
  section === null ? undefined : { section, ...(field && { field }), ...(path && { path }) };

/** What all sections of an inspection are shown with, read when the first of them is opened. */
interface Background {
  content: Content;
  sections: ReadonlyMap<string, Section>;
  findings: readonly Finding[];
  actions: readonly CorrectiveAction[];
}

const sectionsIn = (sections: readonly Section[]): Section[] =>
  sections.flatMap((each) => [each, ...sectionsIn(each.sections)]);

const readBackground = async ({ id, template_id }: Inspection): Promise<Background> => {
  const path = pathOf('inspections', id);
  const [{ content }, findings, actions] = await Promise.all([
    read<Snapshot>(`/v1/templates/${template_id}/snapshot`),
    read<Finding[]>(`${path}/findings`),
    read<CorrectiveAction[]>(`${path}/corrective-actions`),
  ]);
  const sections = new Map(sectionsIn(content.sections).map((each) => [each.id, each]));
  return { content, sections, findings, actions };
};

/** What is the same for all sections of a page. */
interface Shared {
  inspection: Inspection;
  outline: readonly InspectionSection[];
  background: Pick<Loaded<Background>, 'value' | 'failure' | 'reload'>;
  /** Says that the background is needed. */
  need: () => void;
  target: Target | undefined;
}

const useBackground = (inspection: Inspection) => {
  const [state, setState] = useState<{ value?: Background; failure?: Failure }>({});
  const [isNeeded, setIsNeeded] = useState(false);
  const reload = async () => {
    try {
      setState({ value: await readBackground(inspection) });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      setState({ failure: error });
    }
  };
  useEffect(() => {
    if (isNeeded) void reload();
  }, [isNeeded]);
  const background = { value: state.value, failure: state.failure, reload };
  return { background, need: () => setIsNeeded(true) };
};

const outerOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** The instances of a section within one of the section around it. */
const instancesWithin = ({ instances }: InspectionSection, path: string): SectionInstance[] =>
  instances.filter((each) => each.instance_path === path || outerOf(each.instance_path) === path);

/** Whether a section of the outline is the other one, or one around it. */
const holds = (outline: readonly InspectionSection[], section: InspectionSection, id: string): boolean => {
  for (let each = outline.find((one) => one.section_id === id); each;) {
    if (each.section_id === section.section_id) return true;
    const { parent_id } = each;
    each = outline.find((one) => parent_id !== null && one.section_id === parent_id);
  }
  return false;
};

const isOnWay = (path: string, to: string): boolean =>
  path === '' || to === path || to.startsWith(`${path}/`);

/** Leads the reader to what the address names. */
const useFocus = (element: RefObject<HTMLElement | null>, isTarget: boolean): void =>
  useLayoutEffect(() => {
    if (!isTarget) return;
    element.current!.scrollIntoView({ block: 'center' });
    element.current!.focus({ preventScroll: true });
  }, [isTarget]);

/** The deepest heading that HTML has. */
const DEEPEST = 6;

interface FoldProps {
  title: ComponentChildren;
  about: ComponentChildren;
  level: number;
  /** Opens it now, and whenever it becomes true. */
  isWanted: boolean;
  /** Whether the address names the section itself. */
  isTarget?: boolean;
  onOpen?: (() => void) | undefined;
  children: () => ComponentChildren;
}

/** A heading that opens what is below it. */
const Fold = ({ title, about, level, isWanted, isTarget = false, onOpen, children }: FoldProps) => {
  const [isOpen, setIsOpen] = useState(isWanted);
  const button = useRef<HTMLButtonElement>(null);
  useFocus(button, isTarget);
  const id = useId();
  const Level = `h${Math.min(level, DEEPEST)}` as 'h3';
  useEffect(() => {
    if (isWanted) setIsOpen(true);
  }, [isWanted]);
  useEffect(() => {
    if (isOpen) onOpen?.();
  }, [isOpen]);
  return (
    <div class="fold">
      <Level>
        <button
          type="button"
          ref={button}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setIsOpen(!isOpen)}
        >
          <span>{title}</span> <span class="sub">{about}</span>
        </button>
      </Level>
      <div id={id} hidden={!isOpen}>
        {isOpen && children()}
      </div>
    </div>
  );
};

const Progress = ({ answered, total }: Pick<SectionInstance, 'answered' | 'total'>) => (
  <>
    {words.answered}: {fill(words.of, { value: numberText(answered), max: numberText(total) })}
  </>
);

const SectionScore = ({ score }: Pick<InspectionSection, 'score'>) =>
  score && score.percentage !== null ? (
    <>
      {' '}
      · {words.score}: {percentText(score.percentage)}{' '}
      {score.result && (
        <Chip mood={score.result === 'pass' ? 'good' : 'bad'}>{words.results[score.result]}</Chip>
      )}
    </>
  ) : null;

const FindingsOf = ({
  findings,
  actions,
}: {
  findings: readonly Finding[];
  actions: readonly CorrectiveAction[];
}) => (
  <>
    {findings.map((finding) => (
      <span class="item" key={finding.id}>
        {words.concerns}: <LinkTo place="findings" id={finding.id} title={titleOf(finding)} />{' '}
        <Chip mood={finding.status === 'resolved' ? 'good' : 'warn'}>
          {words.findingStatuses[finding.status]}
        </Chip>
        {actions
          .filter(({ finding_id }) => finding_id === finding.id)
          .map((action) => (
            <span class="item inner" key={action.id}>
              {words.action}: <LinkTo place="corrective-actions" id={action.id} title={titleOf(action)} />{' '}
              <Chip mood={action.status === 'verified' ? 'good' : ''}>
                {words.actionStatuses[action.status]}
              </Chip>
            </span>
          ))}
      </span>
    ))}
  </>
);

interface AnswerProps {
  inspection: Inspection;
  background: Background;
  question: Question;
  label: string;
  record: AnswerRecord | undefined;
  findings: readonly Finding[];
  isTarget: boolean;
}

const NONE = { value: null, is_na: false, note: '' };

/** The parts of a record that follow its value. */
const Remarks = ({ record }: { record: AnswerRecord }) => {
  const { note, is_na, media, is_prefilled, is_carried_over, answered_by, answered_at } = record;
  return (
    <>
      {is_prefilled && <span class="sub">{t.explore.suggested}</span>}
      {is_carried_over && (
        <>
          {' '}
          <Chip mood="">{words.carriedOver}</Chip>
        </>
      )}
      {note && (
        <p class="remark">
          <span class="soft">{is_na ? words.reason : words.note}:</span> <bdi class="written">{note}</bdi>
        </p>
      )}
      {media.length > 0 && <Pictures media={media} />}
      {answered_at && (
        <span class="sub">
          <Time at={answered_at} />
          {answered_by && (
            <>
              {' '}
              · <Person id={answered_by} via={record.acted_via_key_id} />
            </>
          )}
        </span>
      )}
    </>
  );
};

/** A question with its answer, and what has become of it. */
const Answer = ({ inspection, background, question, label, record, findings, isTarget }: AnswerProps) => {
  const element = useRef<HTMLLIElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  useFocus(element, isTarget);
  const { content, actions } = background;
  const given = record ?? NONE;
  return (
    <li tabIndex={-1} ref={element} aria-current={isTarget || undefined}>
      <p class="asked">
        <bdi>{label}</bdi>
      </p>
      <div>
        <GivenAnswer content={content} question={question} given={given} />{' '}
        {record?.is_failed && isGiven(record) && !record.is_na && <Chip mood="bad">{words.failed}</Chip>}{' '}
        {'critical' in question && question.critical && <Chip mood="">{words.critical}</Chip>}
        {record && <Remarks record={record} />}
        <FindingsOf findings={findings} actions={actions} />
        {record?.earlier_finding_id && (
          <span class="item">
            {words.concerns}: <LinkTo place="findings" id={record.earlier_finding_id} />
          </span>
        )}
        {record && record.version > 1 && question.type !== 'calculated' && (
          <>
            <Button
              kind="plain"
              label={`${t.explore.history}: ${label}`}
              isExpanded={isOpen}
              onClick={() => setIsOpen(!isOpen)}
            >
              {t.explore.history}
            </Button>
            {isOpen && (
              <AnswerHistory
                path={pathOf('inspections', inspection.id)}
                content={content}
                question={question}
                record={record}
                isCompleted={inspection.completed_at !== null}
              />
            )}
          </>
        )}
      </div>
    </li>
  );
};

interface QuestionsProps {
  shared: Shared;
  background: Background;
  section: InspectionSection;
  instance: SectionInstance;
  /** By the ids of their questions; undefined while they are read. */
  records: ReadonlyMap<string, AnswerRecord>;
  questions: readonly Question[];
}

const idOf = (question: Question): string => ('id' in question ? question.id : question.key);

/** The questions of an instance that no condition hides, with their answers. */
const Questions = ({ shared, background, section, instance, records, questions }: QuestionsProps) => {
  const hidden = new Set(instance.hidden);
  const labels = new Map(instance.labels.map(({ field_id, label }) => [field_id, label]));
  const { target, inspection } = shared;
  const own = background.findings.filter(
    ({ section_id, instance_path }) =>
      section_id === section.section_id && instance_path === instance.instance_path,
  );
  const shown = questions.filter(
    (question) => question.type !== 'instruction' && !hidden.has(idOf(question)),
  );
  return (
    <>
      <FindingsOf findings={own.filter(({ field_id }) => field_id === null)} actions={background.actions} />
      <ul class="answers">
        {shown.map((question) => {
          const id = idOf(question);
          return (
            <Answer
              key={id}
              inspection={inspection}
              background={background}
              question={question}
              label={labels.get(id) ?? question.label}
              record={records.get(id)}
              findings={own.filter(({ field_id }) => field_id === id)}
              isTarget={target?.field === id && target.path === instance.instance_path}
            />
          );
        })}
      </ul>
      {hidden.size > 0 && (
        <p class="help">{fill(t.explore.hiddenQuestions, { n: numberText(hidden.size) })}</p>
      )}
    </>
  );
};

type PartProps = Omit<QuestionsProps, 'records' | 'questions'>;

/** The same for a section whose answers are read now. */
const ReadQuestions = (props: PartProps & { questions: readonly Question[] }) => {
  const { shared, section, instance } = props;
  const query = new URLSearchParams({
    section_id: section.section_id!,
    instance_path: instance.instance_path,
  }).toString();
  const { value, failure, reload } = useLoaded<AnswerRecord[]>(
    `${pathOf('inspections', shared.inspection.id)}/responses?${query}`,
  );
  if (failure) return <FailureNotice failure={failure} onRetry={() => void reload()} />;
  if (!value) return <Skeleton />;
  return <Questions {...props} records={new Map(value.map((record) => [record.field_id, record]))} />;
};

/** A start answer as a record. */
const startRecords = ({ start_answers }: Inspection): Map<string, AnswerRecord> =>
  new Map(
    Object.entries(start_answers).map(([key, value]) => [
      key,
      // Only what every record has is known of it.
      { value, is_na: false, note: '', media: [], version: 1 } as unknown as AnswerRecord,
    ]),
  );

/** What stands in one instance: its questions, and the sections within it. */
const InstanceBody = ({ level, ...props }: PartProps & { level: number }) => {
  const { shared, background, section, instance } = props;
  if (section.section_id === null)
    return (
      <Questions
        {...props}
        records={startRecords(shared.inspection)}
        questions={background.content.start.fields}
      />
    );
  const questions = background.sections.get(section.section_id)?.fields ?? [];
  const path = instance.instance_path;
  return (
    <>
      {questions.length > 0 && <ReadQuestions {...props} questions={questions} />}
      <Sections shared={shared} parent={section.section_id} path={path} level={level} />
    </>
  );
};

const InstanceTitle = ({ background, section, instance, n }: Omit<PartProps, 'shared'> & { n: number }) => {
  const place = background.sections.get(section.section_id!);
  const question = place?.fields.find(({ id }) => id === place.repeat?.label_field_id);
  const number = fill(words.numbered, { n: numberText(n) });
  const { label_value: value } = instance;
  if (!question || value === null) return <>{number}</>;
  return (
    <>
      {number} <ValueName content={background.content} question={question} value={value} />
    </>
  );
};

interface SectionProps {
  shared: Shared;
  section: InspectionSection;
  /** Of the instance around it. */
  path: string;
  level: number;
}

/** What an open section shows: its questions, or each of its instances where it repeats. */
const SectionBody = ({ shared, section, path, level }: SectionProps) => {
  const { background, target, outline } = shared;
  const { value, failure, reload } = background;
  if (failure) return <FailureNotice failure={failure} onRetry={() => void reload()} />;
  if (!value) return <Skeleton />;
  const all = instancesWithin(section, path).filter(({ is_hidden }) => !is_hidden);
  return (
    <>
      {all.map((instance, position) => {
        const props = { shared, background: value, section, instance };
        const own = instance.instance_path;
        if (own === path) return <InstanceBody key={own} {...props} level={level} />;
        return (
          <Fold
            key={own}
            level={level}
            title={<InstanceTitle {...props} n={position + 1} />}
            about={<Progress {...instance} />}
            isWanted={
              all.length === 1 ||
              (target !== undefined && holds(outline, section, target.section) && isOnWay(own, target.path))
            }
          >
            {() => <InstanceBody {...props} level={level + 1} />}
          </Fold>
        );
      })}
    </>
  );
};

/** The sections within an instance of a section, or the outermost ones, without what conditions hide. */
const Sections = ({
  shared,
  parent,
  path,
  level,
}: {
  shared: Shared;
  parent: string | null;
  path: string;
  level: number;
}) => {
  const { outline, target, need } = shared;
  return (
    <>
      {outline
        .filter(({ parent_id }) => parent_id === parent)
        .map((section) => {
          const within = instancesWithin(section, path).filter(({ is_hidden }) => !is_hidden);
          if (within.length === 0) return null;
          const sum = (name: 'answered' | 'total') => within.reduce((total, each) => total + each[name], 0);
          return (
            <Fold
              key={section.section_id}
              level={level}
              title={<bdi>{section.section_id === null ? words.details : section.title}</bdi>}
              about={
                <>
                  <Progress answered={sum('answered')} total={sum('total')} />
                  {path === '' && <SectionScore score={section.score} />}
                </>
              }
              isWanted={
                target !== undefined && holds(outline, section, target.section) && isOnWay(path, target.path)
              }
              isTarget={target?.field === '' && target.section === section.section_id && path === ''}
              onOpen={need}
            >
              {() => <SectionBody shared={shared} section={section} path={path} level={level + 1} />}
            </Fold>
          );
        })}
    </>
  );
};

/** The answers of an inspection: first how far each section is, then the answers of those that are opened. */
export const Answers = ({ row: inspection }: { row: Inspection }) => {
  const { id } = inspection;
  const { value, failure, reload } = useLoaded<InspectionWithParts>(
    `${pathOf('inspections', id)}?include=sections`,
  );
  const { background, need } = useBackground(inspection);
  const outline = value?.sections ?? [];
  const hidden = outline.flatMap(({ instances }) =>
    instances.flatMap((each) => (each.is_hidden ? each.hidden : [])),
  ).length;
  return (
    <section class="part">
      <h2>{words.workbook.answers}</h2>
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      {!value && !failure && <Skeleton />}
      <Sections
        shared={{ inspection, outline, background, need, target: targetIn(location.search) }}
        parent={null}
        path=""
        level={3}
      />
      {value && outline.length === 0 && <p class="help">{t.explore.empty}</p>}
      {hidden > 0 && <p class="help">{fill(t.explore.hiddenQuestions, { n: numberText(hidden) })}</p>}
    </section>
  );
};
