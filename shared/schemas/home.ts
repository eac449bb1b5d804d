import * as z from 'zod';
import { Count } from './common.ts';
import { MAX_COUNTED } from './home-limits.ts';
import { Connection } from './integrations/connection.ts';
import { MailPause } from './mail.ts';
import { StorageUse } from './organization.ts';
import { Schedule } from './schedules/schedule.ts';
import { Webhook } from './webhook.ts';

/** How many resources of a kind are shown. */
export const MAX_SHOWN = 10;

const Bounded = Count.max(MAX_COUNTED).meta({
  description: `${MAX_COUNTED} means ${MAX_COUNTED} or more.`,
});

const attention = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject({
    count: Bounded,
    first: z
      .array(z.strictObject(shape))
      .max(MAX_SHOWN)
      .meta({ description: `The first ${MAX_SHOWN} of them.` }),
  });

const webhook = Webhook.shape;
const connection = Connection.shape;
const schedule = Schedule.shape;

export const Home = z
  .strictObject({
    numbers: z
      .strictObject({
        inspections_in_progress: Count.meta({
          description: 'Inspections that were started and not submitted.',
        }),
        inspections_pending_approval: Count.meta({ description: 'Inspections that wait for a decision.' }),
        inspections_overdue: Bounded,
        corrective_actions_overdue: Bounded,
        issues_overdue: Bounded,
      })
      .meta({ description: 'What is under way, what waits for a decision, and what is late.' }),
    attention: z
      .strictObject({
        webhooks: attention({
          id: webhook.id,
          url: webhook.url,
          description: webhook.description,
          status: webhook.status,
          disabled_reason: webhook.disabled_reason,
          failing_since: webhook.failing_since,
        }).meta({ description: 'Endpoints that fail, or were disabled because they did.' }),
        connections: attention({
          id: connection.id,
          vendor: connection.vendor,
          title: connection.title,
          last_error: connection.last_error,
        }).meta({ description: 'Connections whose credential the vendor refuses.' }),
        schedules: attention({
          id: schedule.id,
          title: schedule.title,
          problems: schedule.problems,
        }).meta({ description: 'Schedules for which something is missing.' }),
        mails: z
          .strictObject({
            waiting: Bounded,
            paused: MailPause.nullable().meta({
              description: 'Why mails to people who are not members wait.',
            }),
          })
          .meta({ description: 'Mails that have not been sent yet.' }),
        storage: StorageUse,
      })
      .meta({ description: 'What somebody has to look after.' }),
  })
  .meta({ id: 'Home' });
export type Home = z.output<typeof Home>;
