import type { Sheet } from '../../shared/domain/xlsform/form/sheets.ts';

/** A row of a sheet by the headers of its columns. */
type Row = Record<string, string>;

/** The rows of a sheet by the headers of their columns. */
export const rowsOf = (sheets: readonly Sheet[], name: string): Row[] => {
  const { header, rows } = sheets.find((sheet) => sheet.name === name)!;
  return rows.map(({ cells }) => Object.fromEntries([...cells].map(([at, text]) => [header.get(at)!, text])));
};

/** The name of an XML element, as pyxform reads it (XML 1.0, section 2.3, without colons). */
const NAME = /^[\p{L}_][\p{L}\p{N}\p{M}_.-]*$/u;

const TRANSLATED = new Set(['label', 'hint', 'constraint_message', 'required_message']);

const headerFaults = ({ name, header }: Sheet): string[] =>
  [...header.values()].flatMap((column) => {
    const [stem = '', ...language] = column.split('::');
    if (language.length > 0) return TRANSLATED.has(stem) ? [] : [`${name}: ${column} has no languages`];
    return NAME.test(column) ? [] : [`${name}: ${column} is not a name`];
  });

/** The faults of the names within each group, and of groups that do not end. */
const nameFaults = (survey: readonly Row[]): string[] => {
  const faults: string[] = [];
  const repeats = new Set<string>(['data']);
  const open: { type: string; names: Set<string> }[] = [{ type: '', names: new Set(['meta']) }];
  for (const { type = '', name = '', repeat_count } of survey) {
    if (type.startsWith('end ')) {
      if (open.pop()!.type !== type.slice('end '.length)) faults.push(`${type} ends another group`);
      continue;
    }
    if (!NAME.test(name)) faults.push(`${name} is not a name`);
    for (const each of [name, ...(repeat_count ? [`${name}_count`] : [])]) {
      if (open.at(-1)!.names.has(each)) faults.push(`${each} occurs twice in its group`);
      open.at(-1)!.names.add(each);
    }
    if (type === 'begin repeat' && repeats.size === repeats.add(name).size)
      faults.push(`two repeats are named ${name}`);
    if (type.startsWith('begin ')) open.push({ type: type.slice('begin '.length), names: new Set(['meta']) });
  }
  return open.length === 1 ? faults : [...faults, 'a group has no end'];
};

const referenceFaults = (rows: readonly Row[], names: readonly string[], columns?: RegExp): string[] =>
  rows.flatMap((row) =>
    Object.entries(row).flatMap(([column, text]) =>
      columns && !columns.test(column)
        ? []
        : [...text.matchAll(/\$\{([^}]*)(\}?)/g)].flatMap(([whole, name, end]) =>
            end && names.filter((each) => each === name).length === 1
              ? []
              : [`${column}: ${whole} is not the name of one row`],
          ),
    ),
  );

const listFaults = (survey: readonly Row[], choices: readonly Row[]): string[] => {
  const lists = Map.groupBy(choices, ({ list_name }) => list_name ?? '');
  return [
    ...survey.flatMap(({ type = '' }) => {
      const [, kind, list] = /^(select_one|select_multiple) (.+)$/.exec(type) ?? [];
      if (list === undefined) return [];
      const names = lists.get(list)?.map(({ name }) => name ?? '') ?? [];
      if (names.length === 0) return [`there is no list ${list}`];
      return kind === 'select_multiple' && names.some((name) => name.includes(' '))
        ? [`a choice of ${list} has a space`]
        : [];
    }),
    ...[...lists].flatMap(([list, rows]) => {
      const names = rows.map(({ name }) => name);
      return names.includes(undefined) || new Set(names).size < names.length
        ? [`choices of ${list} have no name, or the same`]
        : [];
    }),
  ];
};

const calculationFaults = (survey: readonly Row[]): string[] =>
  survey.flatMap(({ type, name, calculation }) =>
    type === 'calculate' && !calculation ? [`${name} has no calculation`] : [],
  );

/**
 * Why ODK would refuse a form: the rules of pyxform 4.5 (xls2json.py, validators/pyxform) that an export can break.
 * `npm run check:pyxform` asks pyxform itself.
 */
export const odkFaults = (sheets: readonly Sheet[]): string[] => {
  const [survey, choices, settings] = ['survey', 'choices', 'settings'].map((name) => rowsOf(sheets, name));
  // pyxform asks for the hidden question of a count by its name.
  const counts = survey!.flatMap(({ name, repeat_count }) => (repeat_count ? [`${name}_count`] : []));
  const names = ['data', 'instanceID', ...survey!.flatMap(({ name }) => name ?? []), ...counts];
  return [
    ...sheets.flatMap(headerFaults),
    ...nameFaults(survey!),
    ...referenceFaults(survey!, names, /^(?!type$|name$)/),
    ...referenceFaults(choices!, names, /^label/),
    ...referenceFaults(settings!, names),
    ...referenceFaults(
      counts.map((name) => ({ count: `\${${name}}` })),
      names,
    ),
    ...listFaults(survey!, choices!),
    ...calculationFaults(survey!),
  ];
};
