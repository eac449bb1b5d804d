import type { Caller, KeyCaller } from '../../shared/base/caller.ts';
import { checkRights, settingChanges } from '../../shared/domain/settings.ts';

describe('settingChanges', () => {
  const before = {
    name: 'Harbour',
    owner_user_id: null,
    settings: { approval: { allow_api: false, approvers: ['a', 'b'] }, layout: null },
  };

  test('has each setting that differs by its path, with both values', () => {
    const after = {
      name: 'Port',
      owner_user_id: 'u',
      settings: { approval: { allow_api: true, approvers: ['a', 'b'] }, layout: null },
    };
    expect(settingChanges(before, after)).toEqual({
      name: { from: 'Harbour', to: 'Port' },
      owner_user_id: { from: null, to: 'u' },
      'settings.approval.allow_api': { from: false, to: true },
    });
  });

  test('is empty for equal settings', () =>
    expect(settingChanges(before, JSON.parse(JSON.stringify(before)) as object)).toEqual({}));

  test('compares a list as a whole', () =>
    expect(settingChanges({ approvers: ['a', 'b'] }, { approvers: ['b', 'a'] })).toEqual({
      approvers: { from: ['a', 'b'], to: ['b', 'a'] },
    }));

  test('has null for a setting that only one side has, also where an object comes or goes', () => {
    expect(settingChanges({ old: 1 }, { next: { a: 1 } })).toEqual({
      old: { from: 1, to: null },
      next: { from: null, to: { a: 1 } },
    });
    expect(settingChanges({ layout: null }, { layout: { a: 1 } })).toEqual({
      layout: { from: null, to: { a: 1 } },
    });
    expect(settingChanges({ layout: ['a'] }, { layout: { 0: 'b' } })).toEqual({
      layout: { from: ['a'], to: { 0: 'b' } },
    });
    expect(settingChanges({ layout: { a: 1 } }, { layout: 'a' })).toEqual({
      layout: { from: { a: 1 }, to: 'a' },
    });
  });
});

describe('checkRights', () => {
  const person: Caller = { org_id: 'o', user_id: 'u', name: 'Ada' };
  const key: KeyCaller = { ...person, key_id: 'k', access: 'read_write' };
  const changed = (...paths: string[]) => Object.fromEntries(paths.map((path) => [path, { from: 0, to: 1 }]));

  test.each([
    'max_key_days',
    'four_eyes_verification',
    'settings.approval.allow_api',
    'settings.approval.four_eyes',
    'settings.approval.signed_in_only',
  ])('403 when a key changes %s, which names it', (path) => {
    expect(() => checkRights(key, changed('name', path))).toThrow(
      expect.objectContaining({ status: 403, detail: expect.stringContaining(path) }),
    );
  });

  test('lets a key change what grants no rights', () =>
    expect(() => checkRights(key, changed('name', 'settings.approval.required'))).not.toThrow());

  test('lets a key change nothing', () => expect(() => checkRights(key, {})).not.toThrow());

  test('lets a person and the operator change everything', () =>
    expect(() => checkRights(person, changed('four_eyes_verification'))).not.toThrow());

  test('does not name settings that grant no rights', () =>
    expect(() => checkRights(key, changed('logo_url', 'four_eyes_verification'))).toThrow(
      expect.objectContaining({ detail: expect.not.stringContaining('logo_url') }),
    ));
});
