import * as z from 'zod';
import { Count, ExpectedVersion, Name, resourceFields, resourceVersion, Timestamp, Uuid } from '../common.ts';
import { IntegrationProblem } from './failure.ts';
import { Credential, VendorAccount, VendorId } from './vendor.ts';

export const ConnectionStatus = z.enum(['active', 'error']);

export const Connection = z
  .strictObject({
    ...resourceFields,
    vendor: VendorId,
    title: Name,
    status: ConnectionStatus.meta({
      description: 'error: the vendor has refused the credential. Replace it by PATCH.',
    }),
    account: VendorAccount.nullable().meta({
      description: 'Whose credential it is; null until the vendor has confirmed one.',
    }),
    credential_hint: z.string().meta({ description: 'The last four characters of the credential.' }),
    api_version: z.string().meta({ description: 'The version of the vendor’s API that is called.' }),
    last_verified_at: Timestamp.nullable(),
    last_error: IntegrationProblem.nullable(),
    created_by: Uuid,
    sources_count: Count.meta({ description: 'Number of its sources, those of the directory included.' }),
    version: resourceVersion(),
  })
  .meta({ id: 'Connection', description: 'A connection to an account of another system.' });
export type Connection = z.output<typeof Connection>;

export const NewConnection = z
  .strictObject({ vendor: VendorId, title: Name, credential: Credential })
  .meta({ id: 'NewConnection' });
export type NewConnection = z.output<typeof NewConnection>;

export const ConnectionChanges = z
  .strictObject({ title: Name, credential: Credential, expected_version: ExpectedVersion })
  .partial()
  .meta({ id: 'ConnectionChanges' });
export type ConnectionChanges = Omit<z.output<typeof ConnectionChanges>, 'expected_version'>;
