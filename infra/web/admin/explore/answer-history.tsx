import { useEffect, useState } from 'preact/hooks';
import type { AnswerRecord, FormerAnswer } from '../../../../shared/schemas/inspections/answer.ts';
import type {
  Correction,
  Revision,
  RevisionPage,
} from '../../../../shared/schemas/inspections/correction.ts';
import type { Content } from '../../../../shared/schemas/templates/content.ts';
import { Failure, read } from '../api.ts';
import { ARROW, numberText } from '../formats.ts';
import { t, words } from '../page.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { Chip, Skeleton, Time } from '../ui/parts.tsx';
import { type Given, GivenAnswer, type Question } from './given.tsx';
import { Person } from './links.tsx';

/** A change of an answer. */
interface Step {
  from: Given;
  to: Given;
  at: string;
  /** Null where nobody is known for it. */
  by: string | null;
  via: string | null;
  /** It arrived after an answer that was given later, and never stood in the record. */
  isLate: boolean;
}

const revisionsOf = async (path: string): Promise<Revision[]> => {
  const found: Revision[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: '200', ...(cursor === null ? {} : { cursor }) }).toString();
    const { items, next_cursor }: RevisionPage = await read(`${path}?${query}`);
    found.push(...items);
    cursor = next_cursor;
  } while (cursor);
  return found;
};

/** The changes of an answer in the corrections of its inspection, the oldest first. */
const correctionsOf = async (
  path: string,
  { field_id, instance_path }: AnswerRecord,
): Promise<Revision[]> => {
  const corrections = await read<Correction[]>(`${path}/corrections`);
  const changed = corrections.filter(({ revisions_count }) => revisions_count > 0);
  const all = await Promise.all(changed.map(({ id }) => revisionsOf(`${path}/corrections/${id}/revisions`)));
  return all
    .flat()
    .filter((each) => each.field_id === field_id && each.instance_path === instance_path)
    .sort((one, other) => (one.changed_at < other.changed_at ? -1 : 1));
};

/** What a former answer has become: the next one, or what stood there when the corrections began. */
const stepsOf = (
  former: readonly FormerAnswer[],
  revisions: readonly Revision[],
  record: AnswerRecord,
): Step[] => {
  const [first] = revisions;
  const atLast = first
    ? {
        value: first.previous_value,
        note: first.previous_note,
        is_na: first.previous_is_na,
        answered_by: null,
        acted_via_key_id: null,
      }
    : record;
  const stood = former.filter(({ is_late }) => !is_late);
  const before = former.map((each): Step => {
    const next = stood[stood.indexOf(each) + 1] ?? atLast;
    const by = each.is_late ? each : next;
    return {
      from: each,
      to: each.is_late ? each : next,
      at: each.replaced_at,
      by: by.answered_by,
      via: by.acted_via_key_id,
      isLate: each.is_late,
    };
  });
  const corrected = revisions.map(({ previous_value, previous_note, previous_is_na, ...to }): Step => ({
    from: { value: previous_value, note: previous_note, is_na: previous_is_na },
    to,
    at: to.changed_at,
    by: to.changed_by,
    via: to.acted_via_key_id,
    isLate: false,
  }));
  return [...before, ...corrected];
};

const readSteps = async (path: string, record: AnswerRecord, isCompleted: boolean): Promise<Step[]> => {
  const [former, revisions] = await Promise.all([
    read<FormerAnswer[]>(`${path}/responses/history?field_id=${record.field_id}`),
    // Only what was completed is corrected.
    isCompleted ? correctionsOf(path, record) : [],
  ]);
  const own = former.filter(({ instance_path }) => instance_path === record.instance_path);
  return stepsOf(own, revisions, record);
};

/** Two texts, where they differ. */
const Differing = ({ label, from, to }: { label: string; from: string; to: string }) =>
  from === to ? null : (
    <span class="sub">
      {label}: <bdi>{from || '–'}</bdi> {ARROW} <bdi>{to || '–'}</bdi>
    </span>
  );

const countOf = ({ media = [] }: Given): string => numberText(media.length);

interface HistoryProps {
  /** Of the inspection. */
  path: string;
  content: Content;
  question: Question;
  record: AnswerRecord;
  isCompleted: boolean;
}

/** What an answer was before, who changed it and when. */
export const AnswerHistory = ({ path, content, question, record, isCompleted }: HistoryProps) => {
  const [steps, setSteps] = useState<Step[]>();
  const [failure, setFailure] = useState<Failure>();
  const load = () => {
    setFailure(undefined);
    readSteps(path, record, isCompleted).then(setSteps, (error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      setFailure(error);
    });
  };
  useEffect(load, []);
  if (failure) return <FailureNotice failure={failure} onRetry={load} />;
  if (!steps) return <Skeleton />;
  if (steps.length === 0) return <p class="help">{t.explore.empty}</p>;
  return (
    <ol class="history">
      {steps.map(({ from, to, at, by, via, isLate }) => (
        <li key={`${at} ${isLate}`}>
          <GivenAnswer content={content} question={question} given={from} />{' '}
          {isLate ? (
            <Chip mood="">{t.explore.late}</Chip>
          ) : (
            <>
              {ARROW} <GivenAnswer content={content} question={question} given={to} />
              <Differing label={words.note} from={from.note} to={to.note} />
              {from.media && to.media && (
                <Differing label={words.workbook.files} from={countOf(from)} to={countOf(to)} />
              )}
            </>
          )}
          <span class="sub">
            <Time at={at} />
            {by && (
              <>
                {' '}
                · <Person id={by} via={via} />
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
};
