import * as z from 'zod';
import { listQuery, Name, Uuid } from '../common.ts';
import { MAX_QUESTIONS, questionFields, QuestionType } from '../issues/category.ts';
import { initially, resource, shownAs } from '../resource.ts';

/** Fields of one kind of asset. */
export const MAX_FIELDS = MAX_QUESTIONS;

// Photos of an asset stand in its `media`.
const field = { ...questionFields, type: QuestionType.exclude(['photo']) };

const AssetField = z
  .strictObject({ id: Uuid, ...field })
  .meta({ id: 'AssetField', description: 'What is recorded of each asset of a kind.' });

const NewAssetField = z
  .strictObject({
    id: Uuid.optional().meta({
      description:
        'Keep it when you change a field that has one, so that the values of assets still belong to it. A new one when left out.',
    }),
    ...field,
  })
  .meta({ id: 'NewAssetField' });

export const { AssetKind, NewAssetKind, AssetKindChanges } = resource(
  'AssetKind',
  {
    name: Name.meta({
      description: 'Unique among the kinds of the organization; case is ignored.',
      examples: ['Passenger lift'],
    }),
    fields: shownAs(
      z.array(AssetField),
      initially(
        [],
        z.array(NewAssetField).max(MAX_FIELDS).meta({
          description:
            'What is recorded of each asset of the kind. A field that becomes required is asked for when an asset gets new `values`.',
        }),
      ),
    ),
  },
  { description: 'A kind of assets, such as lifts or fire extinguishers, and what is recorded of each.' },
);
export type AssetKind = z.output<typeof AssetKind>;
export type NewAssetKind = z.output<typeof NewAssetKind>;
export type AssetKindChanges = Omit<z.output<typeof AssetKindChanges>, 'expected_version'>;

export const assetKindQuery = listQuery({});
export type AssetKindQuery = z.output<typeof assetKindQuery>;
