import type { Field } from '../../../schemas/templates/content.ts';
import {
  type ContentIndex,
  isAnswerable,
  isChoice,
  isMedia,
  type Question,
} from '../../content/content-index.ts';
import { fieldInstances, type FieldInstance, type Instances } from '../../content/instances.ts';
import { MAX_MEDIA } from '../../content/limits.ts';
import type { StartAnswers } from '../../content/start.ts';
import { isAnswered, type MediaItem } from '../../content/values/answer.ts';
import { checkAnswer } from '../../content/values/check-answer.ts';
import { isFailed } from '../../content/values/comparison.ts';
import { checkMedia } from '../../content/values/media.ts';
import type { ReportedAnswer } from '../material.ts';
import { candidatesFor } from './candidates.ts';
import { at, COMPLETED, idOf, mediaOf } from './identities.ts';

/** Answers with two instances of each repeat section; above this number there is one instance of each. */
const MAX_ANSWERS = 10_000;

const FAILED_NOTE = 'Not as it should be: to be put right before the next visit.';
const NOTE = 'Seen on site, nothing to add.';

/** Types whose conforming answers differ from field to field. */
const VARIED = new Set<string>(['text', 'number', 'slider', 'rating', 'temperature', 'yes_no', 'member']);

type SampleAnswer = Pick<ReportedAnswer, 'value' | 'is_na'>;

/** Answers that a question accepts. */
interface Choices {
  conforming: SampleAnswer[];
  failing: SampleAnswer[];
  notApplicable: SampleAnswer[];
}

const choicesOf = (field: Question, index: ContentIndex): Choices => {
  const check = (value: unknown, mark?: { is_na: boolean }): SampleAnswer[] => {
    const checked = checkAnswer(field, index, value, mark);
    return Array.isArray(checked) || !isAnswered(checked) ? [] : [checked];
  };
  const accepted = candidatesFor(field, index).flatMap((value) => check(value));
  const {
    notApplicable = [],
    failing = [],
    conforming = [],
  } = Object.groupBy(accepted, ({ value, is_na }) => {
    if (is_na) return 'notApplicable';
    return isFailed(field, index, value) ? 'failing' : 'conforming';
  });
  return {
    failing,
    // Any option may be chosen. Of other candidates the first ones are the most plausible.
    conforming: isChoice(field) ? conforming : conforming.slice(0, VARIED.has(field.type) ? 3 : 1),
    notApplicable: [...check(null, { is_na: true }), ...notApplicable],
  };
};

/** The media beside an answer: as many as its rule needs, and a photo of a failed answer. */
const mediaBeside = (field: Field, isFailing: boolean): { media?: MediaItem[] } => {
  const { kinds = null, min = 0, max = MAX_MEDIA } = field.media ?? {};
  const count = Math.min(max, Math.max(min, Number(isFailing)));
  if (isMedia(field) || count === 0) return {};
  const kind = !kinds || kinds.includes('photo') ? 'photo' : kinds[0]!;
  const checked = checkMedia(field, mediaOf(kind, count));
  return Array.isArray(checked) ? {} : { media: checked.value };
};

/** The same number of instances of every repeat section, within its limits. */
const everyRepeat = (wanted: number): Instances => ({
  of: ({ repeat: { min, max } }) =>
    Array.from({ length: Math.min(max, Math.max(min, wanted)) }, (_, position) => position),
});

/** The fields to answer, in the instances that the sample has. */
const placesOf = (index: ContentIndex): FieldInstance[] => {
  const twice = [...index.sections.values()].reduce(
    (sum, { section, repeats }) =>
      sum +
      section.fields.length *
        repeats.reduce((product, { repeat: { min, max } }) => product * Math.min(max, Math.max(min, 2)), 1),
    0,
  );
  const instances = everyRepeat(twice > MAX_ANSWERS ? 1 : 2);
  return [...fieldInstances(index, instances)].filter(({ place }) => isAnswerable(place.field));
};

/** A field in one instance, with the answers that it accepts. */
interface SamplePosition {
  field: Field;
  instance_path: string;
  choices: Choices;
}

/** The places whose answers fail, and the one whose answer is not applicable. */
interface Exceptions {
  failed: ReadonlySet<SamplePosition>;
  notApplicable: SamplePosition | undefined;
}

/**
 * Every sixth answer that can fail does, beginning with the third, or with the last when there are fewer than three.
 * One of the others is not applicable.
 */
const exceptionsIn = (places: readonly SamplePosition[]): Exceptions => {
  const fallible = places.filter(({ choices }) => choices.failing.length > 0);
  const first = Math.min(2, fallible.length - 1);
  const failed = new Set(fallible.filter((_, i) => i >= first && (i - first) % 6 === 0));
  const exempt = places.filter((place) => place.choices.notApplicable.length > 0 && !failed.has(place));
  return { failed, notApplicable: exempt[Math.floor(exempt.length / 2)] };
};

const chosenFor = (place: SamplePosition, { failed, notApplicable }: Exceptions): SampleAnswer[] => {
  const { choices } = place;
  if (failed.has(place)) return choices.failing;
  const chosen = place === notApplicable ? choices.notApplicable : choices.conforming;
  return chosen.length > 0 ? chosen : [...choices.conforming, ...choices.notApplicable, ...choices.failing];
};

/** The answer to the n-th place; `[]` when none of the candidates is accepted. */
const answerTo = (place: SamplePosition, n: number, exceptions: Exceptions): ReportedAnswer[] => {
  const { field, instance_path } = place;
  const chosen = chosenFor(place, exceptions);
  const answer = chosen[n % chosen.length];
  if (!answer) return [];
  const isFailing = exceptions.failed.has(place);
  const isNoted = field.note_required_on.length > 0 || n % 7 === 3;
  return [
    {
      field_id: field.id,
      instance_path,
      ...answer,
      ...mediaBeside(field, isFailing),
      note: isFailing ? FAILED_NOTE : isNoted ? NOTE : '',
      answered_by: idOf('person', n % 2),
      answered_at: at(1 + (n % (COMPLETED - 10))),
    },
  ];
};

/** Answers to every field, conditions not yet applied. */
export const sampleAnswers = (index: ContentIndex): ReportedAnswer[] => {
  const known = new Map<string, Choices>();
  const places = placesOf(index).map(({ place: { field }, instance_path }): SamplePosition => {
    const choices = known.get(field.id) ?? choicesOf(field, index);
    known.set(field.id, choices);
    return { field, instance_path, choices };
  });
  const exceptions = exceptionsIn(places);
  return places.flatMap((place, n) => answerTo(place, n, exceptions));
};

/** Answers to the start fields, conditions not yet applied. */
export const sampleStartAnswers = (index: ContentIndex): StartAnswers =>
  Object.fromEntries(
    [...index.startFields.values()].flatMap((field) => {
      const [answer] = isAnswerable(field) ? choicesOf(field, index).conforming : [];
      return answer ? [[field.key, answer.value]] : [];
    }),
  );
