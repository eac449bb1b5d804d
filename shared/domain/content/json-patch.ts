import type { PatchOperation } from '../../schemas/templates/template.ts';

/** Why a patch cannot be applied: which operation, by which of its members, and whether a `test` said no. */
export class PatchError extends Error {
  override name = 'PatchError';
  readonly position: number;
  readonly member: 'path' | 'from';
  readonly isFailedTest: boolean;

  constructor(message: string, position: number, member: 'path' | 'from', isFailedTest = false) {
    super(message);
    this.position = position;
    this.member = member;
    this.isFailedTest = isFailedTest;
  }
}

/** RFC 6902, section 4.6: numbers by their value, objects whatever the order of their members. */
const isEqual = (a: unknown, b: unknown): boolean => {
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((inner, position) => isEqual(inner, b[position]))
    );
  }
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isEqual(Reflect.get(a, name), Reflect.get(b, name)))
  );
};

/** RFC 6901, section 4: no sign, no leading zero. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

const tokensOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

type Container = Record<string, unknown> | unknown[];

/** Whether a container has a member of its own by this name; what a prototype offers is no part of a document. */
const has = (container: unknown, token: string): container is Container =>
  container !== null &&
  typeof container === 'object' &&
  (Array.isArray(container)
    ? INDEX.test(token) && Number(token) < container.length
    : Object.hasOwn(container, token));

/** Undefined, which no JSON value is, where there is nothing. */
const at = (document: unknown, tokens: string[]): unknown => {
  let value = document;
  for (const token of tokens) {
    if (!has(value, token)) return undefined;
    value = Reflect.get(value, token);
  }
  return value;
};

/** Says why a value cannot stand there, or nothing. */
const addIn = (parent: unknown, token: string, value: unknown): string | undefined => {
  if (parent === null || typeof parent !== 'object') return 'there is nothing to add to';
  if (Array.isArray(parent)) {
    const index = token === '-' ? parent.length : INDEX.test(token) ? Number(token) : Number.NaN;
    if (!(index <= parent.length)) return 'not an index of the array or its end';
    parent.splice(index, 0, value);
  } else if (token === '__proto__') {
    return 'this name is not allowed';
  } else {
    (parent as Record<string, unknown>)[token] = value;
  }
  return undefined;
};

const removeFrom = (parent: Container, token: string): void => {
  if (Array.isArray(parent)) parent.splice(Number(token), 1);
  else Reflect.deleteProperty(parent, token);
};

/**
 * A JSON document patched by RFC 6902, all operations or none; the one given stays as it is. Only members of
 * the document itself are ever reached.
 * @param mostCopied characters of JSON that `copy` may add in all: each can double what the one before it made
 * @throws PatchError for the first operation that cannot be applied
 */
export const applyPatch = (
  document: unknown,
  operations: readonly PatchOperation[],
  mostCopied: number,
): unknown => {
  // The document stands in a holder, so that its root is a member like all others.
  const holder: Record<string, unknown> = { '': structuredClone(document) };
  let copied = 0;
  for (const [position, operation] of operations.entries()) {
    const fail = (message: string, member: 'path' | 'from' = 'path', isFailedTest = false) => {
      throw new PatchError(message, position, member, isFailedTest);
    };
    const locate = (pointer: string, member: 'path' | 'from') => {
      const tokens = ['', ...tokensOf(pointer)];
      const token = tokens.at(-1)!;
      const parent = at(holder, tokens.slice(0, -1));
      const value = at(parent, [token]);
      if (value === undefined) fail('nothing stands here', member);
      return { parent: parent as Container, token, value };
    };
    const add = (value: unknown) => {
      const tokens = ['', ...tokensOf(operation.path)];
      const fault = addIn(at(holder, tokens.slice(0, -1)), tokens.at(-1)!, value);
      if (fault) fail(fault);
    };

    switch (operation.op) {
      case 'add':
        add(structuredClone(operation.value));
        break;
      case 'replace': {
        const { parent, token } = locate(operation.path, 'path');
        Reflect.set(parent, token, structuredClone(operation.value));
        break;
      }
      case 'test':
        if (!isEqual(locate(operation.path, 'path').value, operation.value))
          fail('another value stands here', 'path', true);
        break;
      case 'remove': {
        const { parent, token } = locate(operation.path, 'path');
        removeFrom(parent, token);
        break;
      }
      case 'move': {
        const { parent, token, value } = locate(operation.from, 'from');
        if (operation.path.startsWith(`${operation.from}/`)) fail('a value cannot be moved into itself');
        removeFrom(parent, token);
        add(value);
        break;
      }
      case 'copy': {
        const { value } = locate(operation.from, 'from');
        copied += JSON.stringify(value).length;
        if (copied > mostCopied) fail(`copies more than ${mostCopied} characters in all`, 'from');
        add(structuredClone(value));
        break;
      }
    }
  }
  return holder[''];
};
