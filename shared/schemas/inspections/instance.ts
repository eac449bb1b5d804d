import * as z from 'zod';
import { Count, Timestamp, Uuid } from '../common.ts';
import { InstancePath } from './answer.ts';

const instance = {
  section_id: Uuid.meta({ description: 'The repeat section.' }),
  parent_path: InstancePath.toLowerCase().meta({
    description:
      'The instance of each repeat section around the section, in the form of `instance_path`; empty for a section that is in no other repeat section.',
  }),
  client_instance_id: z.string().min(1).max(100).meta({
    description:
      "The client's own id for the instance, unique in the inspection: a random one, such as a UUID.",
  }),
};

export const NewInstance = z
  .strictObject({ ...instance, parent_path: instance.parent_path.default('') })
  .meta({ id: 'NewInstance' });
export type NewInstance = z.output<typeof NewInstance>;

export const Instance = z
  .strictObject({
    ...instance,
    instance_index: Count,
    instance_path: InstancePath.meta({ description: 'Where the answers of the instance belong.' }),
    created_by: Uuid,
    created_at: Timestamp,
  })
  .meta({ id: 'Instance', description: 'An instance of a repeat section whose index is reserved for it.' });
export type Instance = z.output<typeof Instance>;
