/** A condition on the stored row. */
export type Condition = {
  ConditionExpression: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
};

/** The row does not exist. */
export const isAbsent: Condition = { ConditionExpression: 'attribute_not_exists(pk)' };

/** The row exists. */
export const exists: Condition = { ConditionExpression: 'attribute_exists(pk)' };

/** The row has these values. It has no attribute whose value here is undefined. */
export const hasValues = (values: Readonly<Record<string, unknown>>): Condition => {
  const entries = Object.entries(values);
  const held = entries.filter(([, value]) => value !== undefined);
  return {
    ConditionExpression: entries
      .map(([name, value]) =>
        value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}`,
      )
      .join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(entries.map(([name]) => [`#${name}`, name])),
    ...(held.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(held.map(([name, value]) => [`:${name}`, value])),
    }),
  };
};

/** Both hold. What both say of one attribute must be the same. */
export const both = (one: Condition, other: Condition | undefined): Condition =>
  other
    ? {
        ConditionExpression: `(${one.ConditionExpression}) AND (${other.ConditionExpression})`,
        ExpressionAttributeNames: { ...one.ExpressionAttributeNames, ...other.ExpressionAttributeNames },
        ExpressionAttributeValues: { ...one.ExpressionAttributeValues, ...other.ExpressionAttributeValues },
      }
    : one;

/** The row has this version. */
export const versionIs = (version: number): Condition => hasValues({ version });

/** The attribute has one of these values. */
export const oneOf = (attribute: string, allowed: readonly unknown[]): Condition => ({
  ConditionExpression: `#${attribute} IN (${allowed.map((_, position) => `:${attribute}${position}`).join(', ')})`,
  ExpressionAttributeNames: { [`#${attribute}`]: attribute },
  ExpressionAttributeValues: Object.fromEntries(
    allowed.map((value, position) => [`:${attribute}${position}`, value]),
  ),
});

/** The row exists, and the attribute has none of these values. */
export const noneOf = (attribute: string, forbidden: readonly unknown[]): Condition => {
  const isOneOf = oneOf(attribute, forbidden);
  return {
    ...isOneOf,
    // Without the first clause, a row that does not exist would satisfy the second.
    ConditionExpression: `attribute_exists(#${attribute}) AND NOT ${isOneOf.ConditionExpression}`,
  };
};
