/** The n-th of a series of ids, the same in every run. */
export const uuid = (n: number): string => `0190f3c2-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** A field as a request gives it. `type` may be one that the contract does not have. */
export const field = (n: number, type = 'text', more: object = {}) => ({
  id: uuid(n),
  type,
  label: `Field ${n}`,
  ...more,
});

/** A section as a request gives it. */
export const section = (n: number, fields: object[] = [], more: object = {}) => ({
  id: uuid(n),
  title: `Section ${n}`,
  fields,
  ...more,
});

/** A content of one section, `uuid(1)`, with these fields. */
export const contentWith = (...fields: object[]) => ({ sections: [section(1, fields)] });
