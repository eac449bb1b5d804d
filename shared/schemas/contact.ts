import * as z from 'zod';

/** An email address of at most 320 characters (64 + 1 + 255: RFC 5321, section 4.5.3.1). */
export const Email = z.email().max(320);

export const SignedUrl = z
  .url()
  .meta({ description: 'A signed URL, valid for 15 minutes; every read returns a new one.' });

/** How somebody is reached. */
export const contactFields = {
  name: z.string().max(200).nullable(),
  email: Email.nullable(),
  phone: z.string().max(50).nullable(),
};

export const OutsideContact = z
  .strictObject({
    name: contactFields.name,
    email: contactFields.email,
    company: z.string().max(200).nullable(),
    phone: contactFields.phone,
  })
  .meta({
    id: 'OutsideContact',
    description: 'Somebody who is no member of the organization, such as a contractor or a tenant.',
  });
export type OutsideContact = z.output<typeof OutsideContact>;

/** A contact in a request. A detail that is left out is null. */
export const NewOutsideContact = z
  .strictObject({
    name: contactFields.name.default(null),
    email: contactFields.email.default(null),
    company: OutsideContact.shape.company.default(null),
    phone: contactFields.phone.default(null),
  })
  .meta({ id: 'NewOutsideContact' });
