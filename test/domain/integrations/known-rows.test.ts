import { createHash } from 'node:crypto';
import {
  decodeSeen,
  encodeSeen,
  HASH_LENGTH,
  KnownRows,
  MARK_LENGTH,
  MAX_SOURCE_ROWS,
} from '../../../shared/domain/integrations/known-rows.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const markOf = (n: number) => digest(`mark ${n}`).slice(0, MARK_LENGTH);
const hashOf = (n: number) => digest(`hash ${n}`).slice(0, HASH_LENGTH);

const filled = (count: number): KnownRows => {
  const rows = new KnownRows();
  for (let n = 0; n < count; n += 1) rows.store(markOf(n), hashOf(n), n, null);
  return rows;
};

describe('KnownRows', () => {
  test('gives back what was noted of each row, however many there are', () => {
    const rows = filled(5_000);
    rows.see(markOf(1), 77);
    rows.see(markOf(9_999), 78);
    rows.store(markOf(2), hashOf(0), 2, 'updated');
    rows.store(markOf(5_000), hashOf(1), 3, 'created');
    rows.deactivate(markOf(3));
    rows.deactivate(markOf(3));
    rows.deactivate(markOf(123_456));
    expect([rows.size, rows.active, rows.missing]).toEqual([5_002, 5_000, 4_999]);
    const stored = { isActive: true, isSeen: false, outcome: null };
    expect([4, 1, 9_999, 2, 5_000, 3].map((n) => rows.get(markOf(n)))).toEqual([
      { ...stored, hash: hashOf(4), item: 4 },
      { ...stored, hash: hashOf(1), item: 77, isSeen: true },
      { ...stored, hash: '', item: 78, isActive: false, isSeen: true },
      { ...stored, hash: hashOf(0), item: 2, outcome: 'updated' },
      { ...stored, hash: hashOf(1), item: 3, outcome: 'created' },
      { ...stored, hash: '', item: 3, isActive: false },
    ]);
    expect(rows.get(markOf(123_456))).toMatchObject({ isActive: false, isSeen: false });
    for (let n = 10; n < 5_000; n += 1) expect(rows.get(markOf(n)).hash).toBe(hashOf(n));
  });

  test('keeps that a row was seen when it is written after that', () => {
    const rows = new KnownRows();
    rows.see(markOf(1), 1);
    rows.store(markOf(1), hashOf(1), 1, 'created');
    expect([rows.get(markOf(1)).isSeen, rows.missing, rows.size]).toEqual([true, 0, 1]);
  });

  test('finds the row of an item, an item of number 0 among them', () => {
    const rows = filled(2_000);
    expect([rows.markOfItem(1_234), rows.markOfItem(0), rows.markOfItem(2_000)]).toEqual([
      markOf(1_234),
      markOf(0),
      undefined,
    ]);
  });

  test('takes at most 64 bytes a row, and 3.3 MB for as many as a source may have', () => {
    for (const count of [1_000, 2_000, 10_000, 20_000]) {
      expect(filled(count).bytes / count).toBeLessThanOrEqual(64);
    }
    expect(filled(MAX_SOURCE_ROWS).bytes).toBeLessThanOrEqual(3_300_000);
  });
});

test('encodeSeen: 12 bytes a row, which decodeSeen reads', () => {
  const items = new Map([0, 1, 2].map((n) => [markOf(n), n === 1 ? 2 ** 32 - 1 : n] as const));
  const bytes = encodeSeen(items);
  expect(bytes).toHaveLength(36);
  expect([...decodeSeen(bytes)]).toEqual([...items]);
  expect([...decodeSeen(encodeSeen(new Map()))]).toEqual([]);
});
