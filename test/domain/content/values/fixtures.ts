import { indexContent } from '../../../../shared/domain/content/content-index.ts';
import { Content, Field } from '../../../../shared/schemas/templates/content.ts';
import * as content from '../../../support/content.ts';
import * as fixtures from '../fixtures.ts';

/** A field with its defaults filled in. */
export const fieldOf = (type: string, more: object = {}) => Field.parse(content.field(1, type, more));

const option = (value: string, more: object = {}) =>
  fixtures.option(value, { label: value.toUpperCase(), ...more });
export const options = [option('good'), option('bad', { is_failed: true }), option('none', { is_na: true })];

/** An empty content: fields have no options but their own. */
export const index = indexContent(Content.parse({}));
