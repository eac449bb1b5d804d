import { isKey, serviceOf, visitorOf } from '../../shared/base/caller.ts';
import { SAFE_HEADERS } from '../../shared/base/headers.ts';
import { QUEUE_ATTEMPTS, QUEUE_DELIVERIES, retryDelay } from '../../shared/base/queues.ts';
import { currentRequest, inRequest, newScope } from '../../shared/base/request.ts';

test('a request has the id that came with it, or one of its own', () => {
  expect(newScope('trace')).toEqual({ requestId: 'trace', tableCalls: 0, stored: [] });
  const ids = [newScope(), newScope(''), newScope()].map(({ requestId }) => requestId);
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
});

test('each of two requests at once sees its own scope', async () => {
  const seen = await Promise.all(
    ['a', 'b'].map((id) =>
      inRequest(async () => {
        await new Promise(setImmediate);
        return currentRequest()?.requestId;
      }, newScope(id)),
    ),
  );
  expect(seen).toEqual(['a', 'b']);
  expect(inRequest(() => currentRequest()?.tableCalls)).toBe(0);
  expect(currentRequest()).toBeUndefined();
});

test('neither the service nor a visitor is a key, and each belongs to its organization', () => {
  for (const caller of [serviceOf('o'), visitorOf('o')]) {
    expect(isKey(caller)).toBe(false);
    expect(caller).toMatchObject({ org_id: 'o', user_id: '' });
  }
  expect([serviceOf('o').name, visitorOf('o').name]).toEqual(['service', 'visitor']);
  expect(isKey({ ...serviceOf('o'), key_id: 'k' } as never)).toBe(true);
});

test('every reply forbids guessing its type, keeping it, and asking for it again without TLS', () =>
  expect(SAFE_HEADERS).toEqual({
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
  }));

test('a task is tried five times with longer and longer pauses, and delivered once more to be ended', () => {
  expect([QUEUE_ATTEMPTS, QUEUE_DELIVERIES]).toEqual([5, 6]);
  const delays = Array.from({ length: QUEUE_DELIVERIES }, (_, i) => retryDelay(i + 1));
  expect(delays).toEqual([10, 30, 120, 600, 1, 1]);
});
