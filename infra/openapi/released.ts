import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiDocument } from './document/types.ts';

/** What the last release has promised its clients. Only a release writes it. */
const FILE = join(import.meta.dirname, 'released.json');

/** What is written for people, on which no client relies. */
const FOR_PEOPLE = new Set([
  'description',
  'example',
  'examples',
  'externalDocs',
  'summary',
  'tags',
  'title',
  'x-codeSamples',
]);

/** What holds values by names that are not OpenAPI's own, such as those of fields. */
const BY_NAME = new Set(['headers', 'parameters', 'paths', 'properties', 'responses', 'schemas', 'webhooks']);

const promised = (value: unknown, isByName = false): unknown => {
  if (Array.isArray(value)) return value.map((each) => promised(each));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => isByName || !FOR_PEOPLE.has(name))
      .map(([name, each]) => [name, promised(each, !isByName && BY_NAME.has(name))]),
  );
};

/** The document of the last release, without what is written for people. @param file where it is, if elsewhere */
export const releasedDocument = (file = FILE): OpenApiDocument =>
  JSON.parse(readFileSync(file, 'utf8')) as OpenApiDocument;

/** Stores a document as that of the last release. */
export const release = (document: OpenApiDocument): void =>
  writeFileSync(FILE, `${JSON.stringify(promised(document))}\n`);
