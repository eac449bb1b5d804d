import type { PatchOperation } from '../../schemas/templates/template.ts';

/** A patch cannot be applied: the operation at `position` is the first that fails. */
export class PatchError extends Error {
  override name = 'PatchError';
  readonly position: number;
  /** The member of the operation that is wrong. */
  readonly member: 'path' | 'from';
  /** Whether a `test` found another value. */
  readonly isFailedTest: boolean;

  constructor(message: string, position: number, member: 'path' | 'from', isFailedTest = false) {
    super(message);
    this.position = position;
    this.member = member;
    this.isFailedTest = isFailedTest;
  }
}

/** Equality by RFC 6902, section 4.6: numbers by value, and objects in any order of their members. */
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

/** An index by RFC 6901, section 4: without a sign or leading zeros. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

const tokensOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

type Container = Record<string, unknown> | unknown[];

/** Whether a value has its own member with this name. What it inherits from a prototype is not part of the document. */
const has = (container: unknown, token: string): container is Container =>
  container !== null &&
  typeof container === 'object' &&
  (Array.isArray(container)
    ? INDEX.test(token) && Number(token) < container.length
    : Object.hasOwn(container, token));

/** The value at a path; undefined when there is none, because no JSON value is undefined. */
const at = (document: unknown, tokens: string[]): unknown => {
  let value = document;
  for (const token of tokens) {
    if (!has(value, token)) return undefined;
    value = Reflect.get(value, token);
  }
  return value;
};

/** Adds a value to its parent. @returns why that is not possible; undefined when it is done */
const addIn = (parent: unknown, token: string, value: unknown): string | undefined => {
  if (parent === null || typeof parent !== 'object')
    return 'the parent of this path is not an object or array';
  if (Array.isArray(parent)) {
    const index = token === '-' ? parent.length : INDEX.test(token) ? Number(token) : Number.NaN;
    if (!(index <= parent.length)) return 'this is neither an index of the array nor its end';
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
 * Applies a patch by RFC 6902 to a copy of a JSON document: all operations, or none. Only own members of the document
 * can be reached.
 * @param maxCopied how many characters of JSON all `copy` operations may add together, because each can double the
 *   result of the one before it
 * @throws PatchError for the first operation that cannot be applied
 */
export const applyPatch = (
  document: unknown,
  operations: readonly PatchOperation[],
  maxCopied: number,
): unknown => {
  // The document is put into a holder, so that its root is a member like all others.
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
      if (value === undefined) fail('there is no value at this path', member);
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
          fail('the value at this path is a different one', 'path', true);
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
        if (copied > maxCopied)
          fail(`all copy operations together add more than ${maxCopied} characters`, 'from');
        add(structuredClone(value));
        break;
      }
    }
  }
  return holder[''];
};
