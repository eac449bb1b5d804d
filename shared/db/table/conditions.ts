/** What must hold of the row as it stands. */
export type Condition = {
  ConditionExpression: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
};

/** There is no such row. */
export const isAbsent: Condition = { ConditionExpression: 'attribute_not_exists(pk)' };
/** The row is there, whatever it holds. */
export const exists: Condition = { ConditionExpression: 'attribute_exists(pk)' };
/** The row holds these values; an undefined one is one that it does not have. */
export const hasValues = (values: Readonly<Record<string, unknown>>): Condition => {
  const entries = Object.entries(values).map(([name, value], position) => ({
    name,
    value,
    at: `is${position}`,
  }));
  const held = entries.filter(({ value }) => value !== undefined);
  return {
    ConditionExpression: entries
      .map(({ value, at }) => (value === undefined ? `attribute_not_exists(#${at})` : `#${at} = :${at}`))
      .join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(entries.map(({ name, at }) => [`#${at}`, name])),
    ...(held.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(held.map(({ value, at }) => [`:${at}`, value])),
    }),
  };
};
/** The row is of the version that was read. */
export const versionIs = (version: number): Condition => hasValues({ version });

const placeholders = (attribute: string, values: readonly unknown[]) => ({
  list: values.map((_, position) => `:${attribute}${position}`).join(', '),
  names: { [`#${attribute}`]: attribute },
  values: Object.fromEntries(values.map((value, position) => [`:${attribute}${position}`, value])),
});

/** The attribute has one of these values. */
export const oneOf = (attribute: string, allowed: readonly unknown[]): Condition => {
  const { list, names, values } = placeholders(attribute, allowed);
  return {
    ConditionExpression: `#${attribute} IN (${list})`,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  };
};

/** The row is there, and the attribute has none of these values. */
export const noneOf = (attribute: string, forbidden: readonly unknown[]): Condition => {
  const { list, names, values } = placeholders(attribute, forbidden);
  return {
    // A row that does not exist has no status, which is none of these either.
    ConditionExpression: `attribute_exists(#${attribute}) AND NOT #${attribute} IN (${list})`,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  };
};
