import fc from 'fast-check';
import { applyPatch, PatchError } from '../../../shared/domain/content/json-patch.ts';
import type { PatchOperation } from '../../../shared/schemas/templates/template.ts';

const ROOM = 1_000;
const apply = (document: unknown, ...operations: PatchOperation[]) => applyPatch(document, operations, ROOM);

describe('applyPatch', () => {
  // The examples of RFC 6902, appendix A, by their numbers. Examples that fail are in the table of refusals.
  test.each<[string, unknown, PatchOperation, unknown]>([
    [
      'A.1 adds a member',
      { foo: 'bar' },
      { op: 'add', path: '/baz', value: 'qux' },
      { baz: 'qux', foo: 'bar' },
    ],
    ['A.2 adds an element', ['bar', 'baz'], { op: 'add', path: '/1', value: 'qux' }, ['bar', 'qux', 'baz']],
    ['A.3 removes a member', { baz: 'qux', foo: 'bar' }, { op: 'remove', path: '/baz' }, { foo: 'bar' }],
    ['A.4 removes an element', ['bar', 'qux', 'baz'], { op: 'remove', path: '/1' }, ['bar', 'baz']],
    [
      'A.5 replaces a value',
      { baz: 1, foo: 2 },
      { op: 'replace', path: '/baz', value: 'boo' },
      { baz: 'boo', foo: 2 },
    ],
    [
      'A.6 moves a value',
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      { op: 'move', from: '/foo/waldo', path: '/qux/thud' },
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    ],
    [
      'A.7 moves an element',
      ['all', 'grass', 'cows', 'eat'],
      { op: 'move', from: '/1', path: '/3' },
      ['all', 'cows', 'eat', 'grass'],
    ],
    ['A.8 tests a value', { foo: ['a', 2] }, { op: 'test', path: '/foo/1', value: 2 }, { foo: ['a', 2] }],
    [
      'A.10 adds an object',
      { foo: 1 },
      { op: 'add', path: '/child', value: { g: {} } },
      { foo: 1, child: { g: {} } },
    ],
    [
      'A.14 unescapes ~01 as ~1',
      { '/': 9, '~1': 10 },
      { op: 'test', path: '/~01', value: 10 },
      { '/': 9, '~1': 10 },
    ],
    [
      'A.16 adds an array as one element',
      ['bar'],
      { op: 'add', path: '/-', value: ['abc'] },
      ['bar', ['abc']],
    ],
    ['replaces the whole document', { foo: 1 }, { op: 'replace', path: '', value: [2] }, [2]],
    ['replaces an existing member by add', { foo: 1 }, { op: 'add', path: '/foo', value: 2 }, { foo: 2 }],
    ['adds to the end by an index equal to the length', [1], { op: 'add', path: '/1', value: 2 }, [1, 2]],
    ['tests null', { foo: null }, { op: 'test', path: '/foo', value: null }, { foo: null }],
    [
      'tests objects in any order of their members',
      { a: { b: 1, c: 2 } },
      { op: 'test', path: '/a', value: { c: 2, b: 1 } },
      { a: { b: 1, c: 2 } },
    ],
    ['copies', { a: [1], b: 2 }, { op: 'copy', from: '/a', path: '/b' }, { a: [1], b: [1] }],
    ['moves a value onto itself', { a: 1 }, { op: 'move', from: '/a', path: '/a' }, { a: 1 }],
    ['takes an empty name', { '': { '': 1 } }, { op: 'remove', path: '//' }, { '': {} }],
  ])('%s', (_, document, operation, expected) => {
    expect(apply(document, operation)).toEqual(expected);
  });

  test.each<[string, PatchOperation]>([
    ['a missing member', { op: 'replace', path: '/nope', value: 1 }],
    ['a missing parent', { op: 'add', path: '/nope/x', value: 1 }],
    ['a parent that is no container', { op: 'add', path: '/n/x', value: 1 }],
    ['a missing element', { op: 'remove', path: '/a/2' }],
    ['an element beyond the end', { op: 'add', path: '/a/3', value: 1 }],
    ['a leading zero', { op: 'add', path: '/a/01', value: 1 }],
    ['the end where a value must exist', { op: 'replace', path: '/a/-', value: 1 }],
    ['the length of an array', { op: 'replace', path: '/a/length', value: 0 }],
    ['an index in another spelling', { op: 'remove', path: '/a/1e0' }],
    ['a move into itself', { op: 'move', from: '/o', path: '/o/x/y' }],
    ['an inherited member', { op: 'copy', from: '/o/toString', path: '/x' }],
    ['a constructor', { op: 'copy', from: '/constructor', path: '/x' }],
    ['a prototype to change', { op: 'add', path: '/__proto__/polluted', value: true }],
    ['a prototype to set', { op: 'add', path: '/o/__proto__', value: { polluted: true } }],
    ["all objects' prototype", { op: 'add', path: '/constructor/prototype/polluted', value: true }],
    ["a function's members", { op: 'replace', path: '/a/push/name', value: 'x' }],
    ['a prototype to move to', { op: 'move', from: '/o', path: '/a/0/__proto__' }],
  ])('refuses %s', (_, operation) => {
    const document = { a: [{ x: 1 }, 2], o: { x: { y: 1 } }, n: 1 };
    expect(() => apply(document, operation)).toThrow(PatchError);
    expect(document).toEqual({ a: [{ x: 1 }, 2], o: { x: { y: 1 } }, n: 1 });
    expect({}).not.toHaveProperty('polluted');
  });

  test('says which operation and member is wrong, and whether a test failed', () => {
    const thrown = (...operations: PatchOperation[]): unknown => {
      try {
        return apply({ a: 1 }, ...operations);
      } catch (error) {
        return error;
      }
    };
    const passing: PatchOperation = { op: 'test', path: '/a', value: 1 };
    expect(thrown(passing, { op: 'test', path: '/a', value: '1' })).toMatchObject({
      position: 1,
      isFailedTest: true,
    });
    expect(thrown({ op: 'test', path: '/b', value: 1 })).toMatchObject({ position: 0, isFailedTest: false });
    expect(thrown({ op: 'copy', from: '/b', path: '/c' })).toMatchObject({ member: 'from' });
  });

  test('changes neither the document nor the operations, so that both can be used again', () => {
    const value = { list: [1] };
    const operations: PatchOperation[] = [
      { op: 'add', path: '/a', value },
      { op: 'add', path: '/a/list/-', value: 2 },
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'remove', path: '/b/list/0' },
    ];
    expect([1, 2].map(() => applyPatch({}, operations, ROOM))).toEqual(
      [1, 2].map(() => ({ a: { list: [1, 2] }, b: { list: [2] } })),
    );
    expect(value).toEqual({ list: [1] });
  });

  test('limits how much copy operations add', () => {
    const doubling = Array.from({ length: 60 }, (): PatchOperation => ({
      op: 'copy',
      from: '/a',
      path: '/a/-',
    }));
    expect(() => apply({ a: ['0123456789'] }, ...doubling)).toThrow('add more than 1000 characters');
  });

  test('add and remove, or two moves, give the first document again', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.string(),
        fc.jsonValue(),
        (document, name, value) => {
          fc.pre(
            name !== '__proto__' && !Object.hasOwn(document, name) && !Object.hasOwn(document, '__proto__'),
          );
          const path = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
          expect(
            apply(document, { op: 'add', path, value }, { op: 'test', path, value }, { op: 'remove', path }),
          ).toEqual(document);
          expect(
            apply(
              { held: document },
              { op: 'move', from: '/held', path: `${path}x` },
              { op: 'move', from: `${path}x`, path: '/held' },
            ),
          ).toEqual({ held: document });
        },
      ),
    );
  });
});

describe('test', () => {
  const VALUES: unknown[] = [
    null, true, 0, 1, '', '1', [], [1], [1, 2], [2, 1], ['1'], {}, { 0: 1 }, { a: 1 }, { b: 1 }, { a: 1, b: 2 },
    { a: 2, b: 1 }, { a: [1] }, { a: { b: null } }, { length: 0 },
  ]; // prettier-ignore

  test('finds a value equal to itself, and to none of the others', () => {
    const passes = (value: unknown, wanted: unknown) => {
      try {
        apply({ value }, { op: 'test', path: '/value', value: wanted });
        return true;
      } catch (error) {
        expect(error).toMatchObject({ isFailedTest: true, member: 'path' });
        return false;
      }
    };
    const found = VALUES.map((value) => VALUES.map((wanted) => passes(value, wanted)));
    expect(found).toEqual(VALUES.map((_, i) => VALUES.map((_, j) => i === j)));
    expect(passes({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
  });
});

describe('PatchError', () => {
  const FINE: PatchOperation = { op: 'test', path: '', value: { list: [1], text: 'a' } };
  test.each<[PatchOperation, string, 'path' | 'from']>([
    [{ op: 'remove', path: '/none' }, 'there is no value at this path', 'path'],
    [{ op: 'remove', path: '/list/1' }, 'there is no value at this path', 'path'],
    [{ op: 'remove', path: '/list/length' }, 'there is no value at this path', 'path'],
    [{ op: 'replace', path: '/none', value: 1 }, 'there is no value at this path', 'path'],
    [{ op: 'test', path: '/none', value: 1 }, 'there is no value at this path', 'path'],
    [{ op: 'move', from: '/none', path: '/a' }, 'there is no value at this path', 'from'],
    [{ op: 'copy', from: '/none', path: '/a' }, 'there is no value at this path', 'from'],
    [{ op: 'move', from: '/list', path: '/list/0' }, 'a value cannot be moved into itself', 'path'],
    [{ op: 'test', path: '/text', value: 'b' }, 'the value at this path is a different one', 'path'],
  ])('of %j says what is wrong, and where', (operation, message, member) => {
    const refusal = expect.objectContaining({
      name: 'PatchError',
      message,
      position: 1,
      member,
      isFailedTest: operation.op === 'test' && operation.path === '/text',
    });
    expect(() => apply({ list: [1], text: 'a' }, FINE, operation)).toThrow(refusal);
  });

  test('an index may have more than one digit, and null has no members', () => {
    const list = Array.from({ length: 12 }, (_, i) => i);
    expect(apply(list, { op: 'remove', path: '/11' })).toEqual(list.slice(0, 11));
    expect(() => apply(list, { op: 'replace', path: '/12', value: 0 })).toThrow('there is no value');
    expect(() => apply({ a: null }, { op: 'remove', path: '/a/b' })).toThrow('there is no value');
    expect(() => apply({ a: null }, { op: 'add', path: '/a/b', value: 0 })).toThrow(
      'is not an object or array',
    );
  });

  test('a value can be moved beside one whose name begins alike', () =>
    expect(apply({ a: 1 }, { op: 'move', from: '/a', path: '/ab' })).toEqual({ ab: 1 }));

  test('copies may add exactly as much as they may', () => {
    const copy: PatchOperation = { op: 'copy', from: '/a', path: '/b' };
    const text = 'x'.repeat(ROOM - 2);
    expect(apply({ a: text }, copy)).toEqual({ a: text, b: text });
    expect(() => apply({ a: `${text}x` }, copy)).toThrow(
      expect.objectContaining({ member: 'from', message: expect.stringContaining('more than 1000') }),
    );
  });
});
