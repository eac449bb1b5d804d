import { isTold, nextReminder } from '../../shared/domain/contact-reminders.ts';

const may = (day: number): string => `2031-05-${String(day).padStart(2, '0')}T09:00:00.000Z`;
const task = (due: number, requested: number) => ({ due_at: may(due), requested_at: may(requested) });

test.each([
  ['a day before the first task is due', [task(20, 1), task(10, 1)], null, may(9)],
  ['not on the day of its link', [task(10, 9)], null, may(10)],
  ['a week after the last reminder', [task(10, 1)], may(5), may(12)],
  ['a day before the next task is due, where that is later', [task(20, 1)], may(5), may(19)],
  ['never without a task', [], may(5), undefined],
])('the next reminder comes %s', (_, tasks, sentAt, expected) => {
  expect(nextReminder(tasks, sentAt)).toBe(expected);
});

test('a reminder tells of what is due before the next one', () => {
  expect([16, 17, 18].map((day) => isTold({ due_at: may(day) }, may(10)))).toEqual([true, true, false]);
});
