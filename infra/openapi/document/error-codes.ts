import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from '@swc/core';
import type { ErrorKind } from '../../../shared/base/api-error.ts';
import * as errors from '../../../shared/base/errors.ts';
import type { Operation } from '../../../shared/http/operation/operation.ts';
import { checksOrigin, isAppOnly, isRepeatable } from '../../../shared/http/operation/surface.ts';
import { fieldIn, takesKnownReplies, takesVersion } from '../../../shared/http/versions.ts';
import { type KeyEntry, ROOT } from '../../catalogue.ts';

/** A name that a module declares or exports. */
interface Name {
  file: string;
  name: string;
}

interface Module {
  /** What each declaration at the top of the module refers to. */
  references: Map<string, Name[]>;
  /** Where the exports of other modules come from that this one passes on. */
  passedOn: Map<string, Name>;
  /** Modules whose exports it passes on, all of them. */
  passedOnWhole: string[];
}

type Node = Record<string, unknown> & { type?: string };

const ALL = '*';

const nodesIn = (value: unknown): Node[] =>
  Array.isArray(value)
    ? value.flatMap(nodesIn)
    : typeof value === 'object' && value !== null
      ? [value as Node]
      : [];

const nameOf = (node: unknown): string => String((node as Node)['value']);

/** The names that a declaration at the top declares. */
const declaredBy = (node: Node): [string, Node][] => {
  if (node.type === 'ExportDeclaration') return declaredBy(node['declaration'] as Node);
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration')
    return [[nameOf(node['identifier']), node]];
  if (node.type !== 'VariableDeclaration') return [];
  const identifiers = (pattern: Node): string[] =>
    pattern.type === 'Identifier'
      ? [nameOf(pattern)]
      : nodesIn(Object.values(pattern)).flatMap((inner) => identifiers(inner));
  return nodesIn(node['declarations']).flatMap((declaration) =>
    identifiers(declaration['id'] as Node).map((name): [string, Node] => [name, declaration]),
  );
};

const parse = (file: string): Module => {
  const { body } = parseSync(readFileSync(file, 'utf8'), {
    syntax: 'typescript',
    target: 'es2024',
    tsx: file.endsWith('x'),
  });
  const statements = body as unknown as Node[];
  const resolved = (source: unknown): string | undefined => {
    const path = join(dirname(file), nameOf(source));
    return nameOf(source).startsWith('.') && path.endsWith('.ts') && existsSync(path) ? path : undefined;
  };
  const module: Module = { references: new Map(), passedOn: new Map(), passedOnWhole: [] };
  const imported = new Map<string, Name>();
  for (const node of statements) {
    const from = node['source'] && !node['typeOnly'] ? resolved(node['source']) : undefined;
    if (!from) continue;
    if (node.type === 'ExportAllDeclaration') module.passedOnWhole.push(from);
    for (const specifier of nodesIn(node['specifiers'])) {
      if (specifier['isTypeOnly']) continue;
      const local = (specifier['local'] ?? specifier['orig'] ?? specifier['name']) as Node;
      const isAll = specifier.type === 'ImportNamespaceSpecifier';
      const original = nameOf(specifier['imported'] ?? specifier['orig'] ?? local);
      if (node.type === 'ImportDeclaration')
        imported.set(nameOf(local), { file: from, name: isAll ? ALL : original });
      else module.passedOn.set(nameOf(specifier['exported'] ?? local), { file: from, name: original });
    }
  }
  const declared = statements.flatMap(declaredBy);
  const own = new Set(declared.map(([name]) => name));

  const referencesIn = (node: Node, found: Name[]): void => {
    if (node.type?.startsWith('Ts') && !/^Ts(As|Satisfies|NonNull|Const)/.test(node.type)) return;
    if (node.type === 'MemberExpression') {
      const object = node['object'] as Node;
      const property = node['property'] as Node;
      const target = object.type === 'Identifier' ? imported.get(nameOf(object)) : undefined;
      if (target?.name === ALL && property.type === 'Identifier') {
        found.push({ file: target.file, name: nameOf(property) });
        return;
      }
      referencesIn(object, found);
      if (property.type === 'Computed') referencesIn(property, found);
      return;
    }
    if (node.type === 'Identifier') {
      const name = nameOf(node);
      const target = imported.get(name);
      if (target) found.push(target);
      else if (own.has(name)) found.push({ file, name });
      return;
    }
    if (node.type === 'KeyValueProperty') {
      for (const value of nodesIn([
        node['value'],
        (node['key'] as Node).type === 'Computed' ? node['key'] : [],
      ]))
        referencesIn(value, found);
      return;
    }
    for (const inner of nodesIn(Object.values(node))) referencesIn(inner, found);
  };
  for (const [name, node] of declared) {
    const found = module.references.get(name) ?? [];
    referencesIn(node, found);
    module.references.set(name, found);
  }
  return module;
};

const modules = new Map<string, Module>();

const moduleOf = (file: string): Module => {
  const known = modules.get(file);
  if (known) return known;
  const module = parse(file);
  modules.set(file, module);
  return module;
};

const CATALOGUE = join(ROOT, 'shared/base/errors.ts');

/**
 * The kinds of errors that an operation's handler can throw: those that the code refers to which can be reached from
 * it. A path that a request of this operation never takes counts as well.
 * @param file of the operation, relative to the repository
 * @returns none for a file that does not exist
 */
const errorsOf = (file: string): ErrorKind[] => {
  const kinds = new Set<ErrorKind>();
  const seen = new Set<string>();
  const visit = ({ file: at, name }: Name): void => {
    const key = `${at}#${name}`;
    if (seen.has(key)) return;
    seen.add(key);
    if (at === CATALOGUE) {
      const kind = (errors as unknown as Record<string, ErrorKind>)[name];
      if (kind) kinds.add(kind);
      return;
    }
    const { references, passedOn, passedOnWhole } = moduleOf(at);
    const names = name === ALL ? [...references.keys(), ...passedOn.keys()] : [name];
    for (const one of names) {
      for (const reference of references.get(one) ?? []) visit(reference);
      const origin = passedOn.get(one);
      if (origin) visit(origin);
      else if (!references.has(one)) for (const whole of passedOnWhole) visit({ file: whole, name: one });
    }
  };
  const start = join(ROOT, file);
  if (existsSync(start)) visit({ file: start, name: 'handler' });
  return [...kinds];
};

/** When the errors that every handler refers to apply, by their codes. */
const WHEN: Readonly<Record<string, (operation: Operation) => boolean>> = {
  ...Object.fromEntries(
    ['api_key_unknown', 'api_key_revoked', 'api_key_expired', 'api_key_scope', 'api_key_network'].map(
      (code) => [code, (operation: Operation) => !isAppOnly(operation)],
    ),
  ),
  ...Object.fromEntries(
    ['session_required', 'organization_not_chosen', 'role_not_allowed'].map((code) => [code, isAppOnly]),
  ),
  ...Object.fromEntries(
    ['key_acts_for_nobody', 'not_on_behalf', 'acting_not_allowed'].map((code) => [
      code,
      ({ actsFor }: Operation) => actsFor !== undefined,
    ]),
  ),
  ...Object.fromEntries(
    [
      'idempotency_key_invalid',
      'idempotency_key_reused',
      'idempotent_request_running',
      'idempotency_key_taken',
    ].map((code) => [code, isRepeatable]),
  ),
  idempotency_key_not_taken: (operation) => !isRepeatable(operation),
  foreign_origin: checksOrigin,
  organization_suspended: () => true,
  on_behalf_not_taken: ({ actsFor }) => actsFor === undefined,
  api_key_read_only: (operation) => operation.access === 'write' && !isAppOnly(operation),
  person_required: ({ access }) => access === 'person',
  precondition_not_taken: (operation) => !takesVersion(operation) || !takesKnownReplies(operation),
  cursor_invalid: ({ query }) => fieldIn(query, 'cursor') !== undefined,
};

/** Whether every operation of its form can fail with an error, whatever it does. */
export const isCommon = (code: string): boolean => code in WHEN || COMMON.has(code);

const COMMON = new Set(
  [
    errors.bodyNotJson,
    errors.bodyNotUtf8,
    errors.charsetNotSupported,
    errors.contentEncodingNotSupported,
    errors.internalError,
    errors.notFound,
    errors.rateLimitExceeded,
    errors.replyTooLarge,
    errors.rowLevelSecurity,
    errors.unavailable,
    errors.validationFailed,
    errors.wrongContentType,
  ].map(({ code }) => code),
);

/** The errors with which an operation can fail, by status and code. Those of the gateway are not among them. */
export const errorKindsOf = ({ file, operation }: KeyEntry, statuses: readonly number[]): ErrorKind[] =>
  errorsOf(file)
    .filter(({ code, status }) => statuses.includes(status) && (WHEN[code]?.(operation) ?? true))
    .toSorted((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1));
