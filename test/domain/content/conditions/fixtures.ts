import type { KnownAnswer } from '../../../../shared/domain/content/conditions/evaluate.ts';
import { indexContent } from '../../../../shared/domain/content/content-index.ts';
import { publishProblems } from '../../../../shared/domain/content/publish/publish.ts';
import { Content } from '../../../../shared/schemas/templates/content.ts';
import { uuid } from '../../../support/content.ts';

/** The ids of a repeat section, and of one inside it. */
export const [ROOM, DOOR] = [uuid(101), uuid(102)];
export const room = (i: number) => `${ROOM}[${i}]`;
export const door = (i: number, j: number) => `${room(i)}/${DOOR}[${j}]`;

export const answer = (n: number, value: unknown, instance_path = '', is_na = false): KnownAnswer => ({
  field_id: uuid(n),
  instance_path,
  value,
  is_na,
});

/** A content that can be published. */
export const publishable = (sections: object[], start: object[] = []) => {
  const content = Content.parse({ sections, start: { fields: start } });
  expect(publishProblems(content)).toEqual([]);
  return indexContent(content);
};

export const isTrue = (n: number) => ({ field_id: uuid(n), op: 'eq', value: true });
