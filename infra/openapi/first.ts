import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Catalogue, ROOT } from '../catalogue.ts';
import { openApiDocument } from './document.ts';
import type { OpenApiDocument } from './document/types.ts';
import { resolved, type ShownRequest, shownRequests } from './requests.ts';
import { curlOf } from './samples.ts';

/** The file of an operation has its name. */
const fileNameOf = (id: string): string =>
  `${id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;

/** The declarations of a few operations, which load faster than all. */
const operationsNamed = async (ids: readonly string[]): Promise<Catalogue> => {
  const names = new Set(ids.map(fileNameOf));
  const files = await readdir(join(ROOT, 'functions'), { recursive: true });
  const paths = files.filter((file) => names.has(basename(file))).map((file) => `functions/${file}`);
  const operations = await Promise.all(
    paths.map(async (file) => ({
      file,
      area: file.split('/')[1]!,
      ...((await import(join(ROOT, file))) as Pick<Catalogue['operations'][number], 'operation' | 'handler'>),
    })),
  );
  return { operations, workers: [] };
};

/** What a first request has besides what is required: a template without questions would be of no use. */
const ALSO: Readonly<Record<string, readonly string[]>> = { createFamily: ['content'] };

/** Stands for what only the reader knows: an id, or a secret. */
const placeholder = (name: string): string => `<${name}>`;

const isOfReader = (name: string): boolean => /_(id|token)$/.test(name);

const withPlaceholders = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json, (name, value: unknown) => (isOfReader(name) ? placeholder(name) : value)));

/** A request as somebody begins with it: with what is required, and with names for the ids of what exists already. */
const shortened = (request: ShownRequest, document: OpenApiDocument): ShownRequest => {
  const { operation, pathValues, json } = request;
  const names = Object.keys(pathValues).map((name) => [name, placeholder(name)]);
  const short = { ...request, pathValues: Object.fromEntries(names) as Record<string, string> };
  if (json === undefined) return short;
  const { schema } = operation.requestBody!.content['application/json']!;
  const { required = [], properties } = resolved(schema, document);
  // What has several forms is shown in that of the example.
  if (!properties) return { ...short, json: withPlaceholders(json) };
  const kept = new Set([...required, ...(ALSO[operation.operationId] ?? [])]);
  const entries = Object.entries(json as object).filter(([name]) => kept.has(name));
  return { ...short, json: withPlaceholders(Object.fromEntries(entries)) };
};

/** Addresses encode the placeholders, which nobody would recognize then. */
const readable = (curl: string): string =>
  curl.replace(/%3C(\w+)%3E/g, (_, name: string) => placeholder(name));

/** The first request of each operation, in curl, by the operation's id. @param ids of operations that a key calls */
export const firstRequests = async (ids: readonly string[]): Promise<Readonly<Record<string, string>>> => {
  const document = openApiDocument(await operationsNamed(ids));
  return Object.fromEntries(
    shownRequests(document)
      .filter(({ isOfApp, operation }) => !isOfApp && ids.includes(operation.operationId))
      .map((request) => [request.operation.operationId, readable(curlOf(shortened(request, document)))]),
  );
};
