import * as z from 'zod';
import { Name } from '../common.ts';

/** The names in braces that are replaced in a report's mail by values of its inspection. */
export const PLACEHOLDERS = [
  'inspection.number',
  'inspection.name',
  'client.name',
  'location.name',
  'template.name',
  'score',
  'result',
  'date',
  'organization.name',
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

const KNOWN = new Set<string>(PLACEHOLDERS);
const IN_BRACES = /\{([A-Za-z][\w.]*)\}/g;

/** Replaces every placeholder of a text. Other text in braces stays as it is. */
export const fillPlaceholders = (text: string, values: Readonly<Record<Placeholder, string>>): string =>
  text.replaceAll(IN_BRACES, (braces, name: string) =>
    KNOWN.has(name) ? values[name as Placeholder] : braces,
  );

/** Refuses a name in braces that is not a placeholder, because recipients would see it as it is. */
const hasKnownPlaceholders = ({ value, issues }: z.core.ParsePayload<string>): void => {
  const unknown = [...value.matchAll(IN_BRACES)].map(([, name]) => name!).filter((name) => !KNOWN.has(name));
  for (const name of new Set(unknown)) {
    issues.push({
      code: 'custom',
      message: `Value error, {${name}} is not one of ${PLACEHOLDERS.map((known) => `{${known}}`).join(', ')}`,
      input: value,
    });
  }
};

const description = `It may contain ${PLACEHOLDERS.map((name) => `\`{${name}}\``).join(', ')}.`;

/** Characters of a mail's body. */
const MAX_BODY = 10_000;

export const EmailSubject = Name.check(hasKnownPlaceholders).meta({ description });
export const EmailBody = z.string().max(MAX_BODY).check(hasKnownPlaceholders).meta({ description });
