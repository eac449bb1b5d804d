import * as z from 'zod';
import { languageOf } from '../../shared/base/i18n/languages.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { file } from '../../shared/http/operation/responses.ts';
import * as publicLinks from '../../shared/issues/public-links.ts';
import { drawCard, DRAWS_CARDS } from '../../shared/reports/pdf/draw-card.ts';
import { LanguageTag, Uuid } from '../../shared/schemas/common.ts';

const PDF = 'application/pdf';

export const operation = defineOperation({
  id: 'getPublicLinkCard',
  method: 'GET',
  path: '/issue-categories/{category_id}/public-links/{public_link_id}/card',
  summary: 'Get the card of a public link',
  description:
    'A card to hang up, in A6: the QR code, the label of the link and what to do with it. The service stores only a hash of the token, so bring the token from the reply that created the link.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ category_id: Uuid, public_link_id: Uuid }),
  query: z.strictObject({
    token: z
      .string()
      .regex(/^[\w-]{22}$/)
      .meta({ examples: ['q83vEjRWeJCrze8SNFZ4kA'] }),
    language: LanguageTag.optional().meta({ description: 'The language of the organization when left out.' }),
  }),
  success: 200,
  response: file('The card.', PDF),
  memory: 2_048,
  heavy: true,
  ...DRAWS_CARDS,
});

export const handler = createHandler(operation, async ({ params, query, caller }) => {
  const { category_id, public_link_id } = params;
  const known = [{ id: public_link_id, token: query.token }];
  const { links, organization } = await publicLinks.getByTokens(caller, category_id, known, 'token');
  const { label, url } = links[0]!;
  const bytes = await drawCard({
    language: query.language ?? languageOf(organization.locale),
    organization: organization.name,
    label,
    address: url,
  });
  return { bytes, media_type: PDF, file_name: `${label || 'card'}.pdf` };
});
