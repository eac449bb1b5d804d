import * as z from 'zod';
import { Count, Name, Timestamp, UNNOTICED, Uuid } from '../common.ts';
import { derived, once, resource, unseen } from '../resource.ts';
import { IntegrationProblem } from './run.ts';
import { Credential, VendorAccount, VendorId } from './vendor.ts';

export const ConnectionStatus = z.enum(['active', 'error']);

export const { Connection, NewConnection, ConnectionChanges } = resource(
  'Connection',
  {
    vendor: once(VendorId),
    title: Name,
    credential: unseen(Credential),
    ...derived({
      status: ConnectionStatus.meta({
        description: '`error`: the vendor has refused the credential. Replace it by PATCH.',
      }),
      account: VendorAccount.nullable().meta({
        description: 'Whose credential it is; null until the vendor has confirmed one.',
      }),
      credential_hint: z.string().meta({ description: 'The last four characters of the credential.' }),
      api_version: z.string().meta({ description: 'The version of the vendor’s API that is called.' }),
      last_verified_at: Timestamp.nullable(),
      last_error: IntegrationProblem.nullable(),
      created_by: Uuid,
      sources_count: Count.meta({
        description: `The number of its sources, including directory sources. ${UNNOTICED}`,
      }),
    }),
  },
  { description: 'A connection to an account of another system.' },
);
export type Connection = z.output<typeof Connection>;
export type NewConnection = z.output<typeof NewConnection>;
export type ConnectionChanges = Omit<z.output<typeof ConnectionChanges>, 'expected_version'>;
