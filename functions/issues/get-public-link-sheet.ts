import * as z from 'zod';
import { languageOf } from '../../shared/base/i18n/languages.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { file } from '../../shared/http/operation/responses.ts';
import * as publicLinks from '../../shared/issues/public-links.ts';
import { drawSheet, DRAWS_CARDS } from '../../shared/reports/pdf/draw-card.ts';
import { LanguageTag, Uuid } from '../../shared/schemas/common.ts';

const PDF = 'application/pdf';

/** Labels of one request: their tokens stand in its address. */
const MAX_LABELS = 48;

export const operation = defineOperation({
  id: 'getPublicLinkSheet',
  method: 'GET',
  path: '/issue-categories/{category_id}/public-link-sheet',
  summary: 'Get a sheet of labels of public links',
  description:
    'Labels to cut out and stick on assets, 12 on a page in A4: the QR code of each link with its label. The service stores only hashes of the tokens, so bring the tokens from the replies that created the links.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ category_id: Uuid }),
  query: z.strictObject({
    link: z
      .array(z.string().regex(/^[\da-f-]{36}:[\w-]{22}$/))
      .min(1)
      .max(MAX_LABELS)
      .meta({
        description: 'The id of a public link, a colon and its token; the parameter can be repeated.',
        examples: [['01914f7c-2b4e-7c1a-9d52-0a7c6e1f8b3d:q83vEjRWeJCrze8SNFZ4kA']],
      }),
    language: LanguageTag.optional().meta({ description: 'The language of the organization when left out.' }),
  }),
  success: 200,
  response: file('The sheet.', PDF),
  memory: 2_048,
  heavy: true,
  ...DRAWS_CARDS,
});

export const handler = createHandler(operation, async ({ params, query, caller }) => {
  const known = query.link.map((text) => {
    const [id, token] = text.split(':') as [string, string];
    return { id, token };
  });
  const { links, organization } = await publicLinks.getByTokens(caller, params.category_id, known, 'link');
  const bytes = await drawSheet({
    language: query.language ?? languageOf(organization.locale),
    organization: organization.name,
    labels: links.map(({ label, url }) => ({ label, address: url })),
  });
  return { bytes, media_type: PDF, file_name: 'labels.pdf' };
});
