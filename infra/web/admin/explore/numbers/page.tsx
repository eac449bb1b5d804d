import type { ComponentChildren } from 'preact';
import type { AdminPlace } from '../../../../../shared/http/pages/admin-data.ts';
import type { InspectionSummary } from '../../../../../shared/schemas/inspections/inspection.ts';
import type {
  ActionSummary,
  FindingSummary,
  GroupedBy,
  InspectionGroups,
  InspectionNumbers,
} from '../../../../../shared/schemas/numbers.ts';
import { dayStarts } from '../../days.ts';
import { fill, monthText, numberText, percentText } from '../../formats.ts';
import { type Loaded, useLoaded } from '../../hooks.ts';
import { page, t, words } from '../../page.ts';
import { addressOfPlace } from '../../route.ts';
import { FailureNotice } from '../../ui/failure.tsx';
import { Empty, Skeleton, Time } from '../../ui/parts.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import {
  bySpan,
  earliest,
  monthIn,
  percentage,
  type Period,
  periodOf,
  rangeOf,
  type Span,
  spansOf,
  unitOf,
} from './arithmetic.ts';
import { type Bar, Bars, Share } from './bars.tsx';
import { chosenIn, Filters } from './filters.tsx';

const x = t.numbers;

/** In which the organization counts months. */
const timeZone = page.forms?.timezone ?? 'UTC';

const startOfDay = dayStarts(timeZone);

/** Rows of what is best or worst. */
const MOST_ROWS = 10;

/** Inspections with a result from which on a location is compared with others. */
const FEWEST = 3;

type Filters = Readonly<Record<string, string>>;

const pathWith = (path: string, query: readonly (readonly [string, string])[]): string =>
  `/v1${path}/summary?${new URLSearchParams(query.map(([name, value]) => [name, value])).toString()}`;

/** A number that leads to the list of what it counts. */
const Counted = ({ count, place, filters }: { count: number; place: AdminPlace; filters: Filters }) => (
  <a href={addressOfPlace(place, undefined, filters)}>{numberText(count)}</a>
);

interface FigureProps {
  name: string;
  count: string;
  more?: string;
  /** The list behind it. */
  place: AdminPlace;
  filters: Filters;
}

const Figure = ({ name, count, more, place, filters }: FigureProps) => (
  <li>
    <a href={addressOfPlace(place, undefined, filters)}>
      <strong>{count}</strong> <span>{name}</span> {more && <span class="sub">{more}</span>}
    </a>
  </li>
);

const ofText = (value: number, max: number): string =>
  fill(words.of, { value: numberText(value), max: numberText(max) });

const rateText = (rate: number | null): string => (rate === null ? '–' : percentText(rate));

/** What a list of completed inspections is asked for. */
const completedIn = (filters: Filters, period: Period): Filters => ({
  ...filters,
  status: 'completed',
  ...rangeOf('completed', period, startOfDay),
});

interface Shown {
  span: Span;
  numbers: InspectionNumbers | undefined;
}

const barOf = ({ span }: Shown, value: number | null, count: number, text: string): Bar => ({
  key: span.name,
  name: monthText(span),
  short: monthText({ from: span.from, to: span.from }, 'short'),
  narrow: monthText({ from: span.from, to: span.from }, 'narrow'),
  value: value === null ? null : Math.min(100, Math.max(0, value)),
  text,
  figure: value === null ? '–' : numberText(Math.round(value)),
  count: numberText(count),
});

const rateBar = (shown: Shown): Bar => {
  const { passed = 0, failed = 0 } = shown.numbers ?? {};
  const rate = percentage(passed, passed + failed);
  return barOf(shown, rate, passed + failed, `${rateText(rate)} (${ofText(passed, passed + failed)})`);
};

const scoreBar = (shown: Shown): Bar => {
  const { count = 0, mean = null } = shown.numbers?.score ?? {};
  return barOf(shown, mean, count, `${rateText(mean)} (${numberText(count)})`);
};

/** The numbers of inspections in a row, each with the list behind it. */
const inspectionColumns = <Row,>(
  numbersOf: (row: Row) => InspectionNumbers | undefined,
  filtersOf: (row: Row) => Filters,
): Column<Row>[] => {
  const counted = (count: (numbers: InspectionNumbers) => number, filters: Filters) => (row: Row) => {
    const numbers = numbersOf(row);
    return numbers ? (
      <Counted count={count(numbers)} place="inspections" filters={{ ...filtersOf(row), ...filters }} />
    ) : (
      numberText(0)
    );
  };
  return [
    { title: words.results.pass, cell: counted(({ passed }) => passed, { result: 'pass' }) },
    { title: words.results.fail, cell: counted(({ failed }) => failed, { result: 'fail' }) },
    {
      title: x.meanScore,
      cell: (row) => {
        const { mean = null, count = 0 } = numbersOf(row)?.score ?? {};
        if (mean === null) return '–';
        return (
          <>
            {percentText(mean)}{' '}
            <span class="sub">
              {x.scored}:{' '}
              <Counted count={count} place="inspections" filters={{ ...filtersOf(row), score_min: '0' }} />
            </span>
          </>
        );
      },
    },
  ];
};

const Rate = ({ numbers }: { numbers: InspectionNumbers | undefined }) => {
  const { passed = 0, failed = 0 } = numbers ?? {};
  const rate = percentage(passed, passed + failed);
  return <Share value={rate} text={rateText(rate)} more={ofText(passed, passed + failed)} />;
};

const Months = ({
  period,
  filters,
  groups,
}: { period: Period; filters: Filters } & Pick<InspectionGroups, 'groups'>) => {
  const spans = bySpan(spansOf(period), groups);
  const title = unitOf(period) === 'month' ? x.byMonth : x.byQuarter;
  const filtersOf = ({ span }: Shown) => completedIn(filters, span);
  return (
    <section class="part">
      <h2>{title}</h2>
      <div class="charts">
        <Bars title={x.passRate} help={x.inPercent} bars={spans.map(rateBar)} />
        <Bars title={x.meanScore} help={x.inPercent} bars={spans.map(scoreBar)} />
      </div>
      <details>
        <summary>{x.asTable}</summary>
        <Table
          caption={title}
          rows={spans}
          keyOf={({ span }) => span.name}
          columns={[
            { title: words.date, cell: ({ span }) => monthText(span) },
            {
              title: words.completed,
              cell: (row) => (
                <Counted count={row.numbers?.completed ?? 0} place="inspections" filters={filtersOf(row)} />
              ),
            },
            { title: x.passRate, cell: ({ numbers }) => <Rate numbers={numbers} /> },
            ...inspectionColumns<Shown>(({ numbers }) => numbers, filtersOf),
          ]}
        />
      </details>
    </section>
  );
};

/** The name of an object, with a link to its page; without one where it is gone. */
const NameOf = ({ place, of }: { place: AdminPlace; of: GroupedBy }) =>
  of.name === null ? (
    <>{words.deleted}</>
  ) : (
    <a href={addressOfPlace(place, of.id)}>
      <bdi>{of.name}</bdi>
    </a>
  );

const Worst = ({
  period,
  filters,
  groups,
}: { period: Period; filters: Filters } & Pick<InspectionGroups, 'groups'>) => {
  const rows = groups
    .flatMap(({ by, numbers }) => (by.location ? [{ location: by.location, numbers }] : []))
    .slice(0, MOST_ROWS);
  return (
    <section class="part">
      <h2>{x.worst}</h2>
      <p class="help">{fill(x.fewest, { n: numberText(FEWEST) })}</p>
      {rows.length === 0 ? (
        <p>{t.explore.empty}</p>
      ) : (
        <Table
          caption={x.worst}
          rows={rows}
          keyOf={({ location }) => location.id}
          columns={[
            { title: words.location, cell: ({ location }) => <NameOf place="locations" of={location} /> },
            { title: x.passRate, cell: ({ numbers }) => <Rate numbers={numbers} /> },
            ...inspectionColumns<(typeof rows)[number]>(
              ({ numbers }) => numbers,
              ({ location: { id } }) => {
                const { within: _, region_id: __, ...others } = filters;
                return { ...completedIn(others, period), location_id: id };
              },
            ),
          ]}
        />
      )}
    </section>
  );
};

interface QuestionsProps {
  period: Period;
  filters: Filters;
  families: readonly string[];
  isSome: boolean;
}

/** The questions that have failed most, of some templates. */
const Questions = ({ period, filters, families, isSome }: QuestionsProps) => {
  const { template_family_id: _, ...others } = filters;
  const { value, failure, reload } = useLoaded<FindingSummary>(
    pathWith('/findings', [
      ...Object.entries({ ...others, ...period, sort: '-failed', limit: String(MOST_ROWS) }),
      ['group_by', 'field'],
      ['group_by', 'template_family'],
      ...families.map((id) => ['template_family_id', id] as const),
    ]),
  );
  const rows = (value?.groups ?? []).flatMap(({ by: { field, template_family }, numbers }) =>
    field && template_family && numbers.answers && numbers.answers.failed > 0
      ? [{ field, family: template_family, findings: numbers.findings, ...numbers.answers }]
      : [],
  );
  return (
    <section class="part">
      <h2>{x.questions}</h2>
      {isSome && <p class="help">{fill(x.ofTemplates, { n: numberText(MOST_ROWS) })}</p>}
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      {!value && !failure && <Skeleton />}
      {value && rows.length === 0 && <p>{t.explore.empty}</p>}
      {rows.length > 0 && (
        <Table
          caption={x.questions}
          rows={rows}
          keyOf={({ field, family }) => `${field.id} ${family.id}`}
          columns={[
            { title: words.question, cell: ({ field }) => <bdi>{field.name ?? words.deleted}</bdi> },
            { title: words.template, cell: ({ family }) => <NameOf place="templates" of={family} /> },
            {
              title: words.failed,
              cell: ({ failed, answered }) => {
                const rate = percentage(failed, answered);
                return <Share value={rate} text={ofText(failed, answered)} more={rateText(rate)} />;
              },
            },
            {
              title: words.findings,
              cell: ({ field, family, findings }) => (
                <Counted
                  count={findings}
                  place="findings"
                  filters={{
                    ...others,
                    template_family_id: family.id,
                    field_id: field.id,
                    ...rangeOf('created', period, startOfDay),
                  }}
                />
              ),
            },
          ]}
        />
      )}
    </section>
  );
};

const SEVERITIES = ['critical', 'major', 'minor', 'observation'] as const;

const ACTION_STATUSES = ['open', 'in_progress', 'pending_verification'] as const;

const Section = ({
  title,
  help,
  children,
}: {
  title: string;
  help?: string;
  children: ComponentChildren;
}) => (
  <section class="part">
    <h2>{title}</h2>
    {help && <p class="help">{help}</p>}
    <ul class="figures four">{children}</ul>
  </section>
);

/** All that the page reads at once. */
const useNumbers = (filters: Filters, period: Period) => {
  const asked = Object.entries({ ...filters, ...period });
  return {
    months: useLoaded<InspectionGroups>(pathWith('/inspections', [...asked, ['group_by', unitOf(period)]])),
    // One more, as what is at no location may be among them.
    worst: useLoaded<InspectionGroups>(
      pathWith('/inspections', [
        ...asked,
        ['group_by', 'location'],
        ['sort', 'pass_rate'],
        ['min_count', String(FEWEST)],
        ['limit', String(MOST_ROWS + 1)],
      ]),
    ),
    families: useLoaded<InspectionGroups>(
      pathWith('/inspections', [
        ...asked,
        ['group_by', 'template_family'],
        ['sort', '-completed'],
        ['limit', String(MOST_ROWS + 1)],
      ]),
    ),
    overdue: useLoaded<InspectionSummary>(
      pathWith('/inspections', [...Object.entries(filters), ['is_overdue', 'true']]),
    ),
    findings: useLoaded<FindingSummary>(pathWith('/findings', [...asked, ['status', 'open']])),
    actions: useLoaded<ActionSummary>(pathWith('/corrective-actions', asked)),
  };
};

const FailureOf = ({ all }: { all: readonly Pick<Loaded<unknown>, 'failure' | 'reload'>[] }) => {
  const failed = all.filter(({ failure }) => failure);
  return (
    <FailureNotice
      failure={failed[0]?.failure}
      onRetry={() => void Promise.all(failed.map(({ reload }) => reload()))}
    />
  );
};

interface ContentProps {
  period: Period;
  filters: Filters;
  months: InspectionGroups;
  worst: InspectionGroups;
  families: InspectionGroups;
  overdue: InspectionSummary;
  findings: FindingSummary;
  actions: ActionSummary;
}

const Content = ({ period, filters, months, worst, families, overdue, findings, actions }: ContentProps) => {
  const { completed, passed, failed, score } = months.totals;
  const done = completedIn(filters, period);
  const created = { ...filters, ...rangeOf('created', period, startOfDay) };
  const open = { ...created, status: 'open' };
  const used = families.groups.flatMap(({ by }) => by.template_family?.id ?? []);
  const asOf = earliest([months, worst, families, findings, actions].map(({ as_of }) => as_of));
  return (
    <>
      <p class="help">
        {asOf === null ? (
          x.notCounted
        ) : (
          <>
            {x.asOf} <Time at={asOf} />
          </>
        )}
        <span class="sub">{fill(x.zones, { zone: timeZone.replaceAll('_', ' ') })}</span>
      </p>
      <Section title={t.tabs.inspections.name}>
        <Figure name={words.completed} count={numberText(completed)} place="inspections" filters={done} />
        <Figure
          name={words.results.pass}
          count={numberText(passed)}
          more={`${x.passRate}: ${rateText(percentage(passed, passed + failed))}`}
          place="inspections"
          filters={{ ...done, result: 'pass' }}
        />
        <Figure
          name={words.results.fail}
          count={numberText(failed)}
          place="inspections"
          filters={{ ...done, result: 'fail' }}
        />
        <Figure
          name={x.scored}
          count={numberText(score.count)}
          more={`${x.meanScore}: ${rateText(score.mean)}`}
          place="inspections"
          filters={{ ...done, score_min: '0' }}
        />
        <Figure
          name={t.home.numbers.inspections_overdue}
          count={numberText(overdue.overdue)}
          place="inspections"
          filters={{ ...filters, is_overdue: 'true' }}
        />
      </Section>
      <Months period={period} filters={filters} groups={months.groups} />
      <Worst period={period} filters={filters} groups={worst.groups} />
      {used.length > 0 && (
        <Questions
          period={period}
          filters={filters}
          families={used.slice(0, MOST_ROWS)}
          isSome={used.length > MOST_ROWS}
        />
      )}
      <Section title={x.openFindings} help={x.created}>
        {SEVERITIES.map((severity) => (
          <Figure
            key={severity}
            name={words.severities[severity]}
            count={numberText(findings.totals[severity])}
            place="findings"
            filters={{ ...open, severity }}
          />
        ))}
      </Section>
      <Section title={words.actions} help={x.created}>
        {ACTION_STATUSES.map((status) => (
          <Figure
            key={status}
            name={words.actionStatuses[status]}
            count={numberText(actions.totals[status])}
            place="corrective-actions"
            filters={{ ...created, status }}
          />
        ))}
        <Figure
          name={words.overdue}
          count={numberText(actions.totals.overdue)}
          place="corrective-actions"
          filters={{ ...created, is_overdue: 'true' }}
        />
      </Section>
    </>
  );
};

/** Numbers of the organization over time. */
export const NumbersPage = ({ query }: { query: URLSearchParams }) => {
  const present = monthIn(timeZone, Date.now());
  const period = periodOf(query, present);
  const filters: Filters = { ...chosenIn(query) };
  const all = useNumbers(filters, period);
  const { months, worst, families, overdue, findings, actions } = all;
  const isWhole =
    months.value && worst.value && families.value && overdue.value && findings.value && actions.value;
  const isNone =
    isWhole &&
    months.value!.totals.total === 0 &&
    overdue.value!.overdue === 0 &&
    findings.value!.totals.findings === 0 &&
    actions.value!.totals.actions === 0;
  const isNarrowed = [...query].length > 0;
  return (
    <>
      {(isNarrowed || !isNone) && <Filters period={period} present={present} query={query} />}
      <FailureOf all={Object.values(all)} />
      {!isWhole && !Object.values(all).some(({ failure }) => failure) && <Skeleton />}
      {isNone && <Empty>{isNarrowed ? t.audit.empty : x.none}</Empty>}
      {isWhole && !isNone && (
        <Content
          period={period}
          filters={filters}
          months={months.value!}
          worst={worst.value!}
          families={families.value!}
          overdue={overdue.value!}
          findings={findings.value!}
          actions={actions.value!}
        />
      )}
    </>
  );
};
