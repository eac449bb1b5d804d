import sharp from 'sharp';
import * as errors from '../../shared/base/errors.ts';
import { getObject } from '../../shared/files/objects.ts';
import * as members from '../../shared/organizations/members/members.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import { Organization, OrganizationWithStorage } from '../../shared/schemas/organization.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { DEFAULT_MAX_STORED_BYTES } from '../../shared/table/stored-bytes.ts';
import * as write from '../../shared/table/writes.ts';
import { as } from '../support/call.ts';
import { auditOf, newPerson, operatorOf, type Person } from '../support/people.ts';

let person: Person;

beforeAll(async () => {
  person = await newPerson('Harbour');
});

/** The organization as a change of it replies. */
const organization = async () => {
  const { storage: _, mails: __, ...rest } = await person.organization.get();
  return rest;
};

const newMember = async (role: 'admin' | 'inspector', status = 'active'): Promise<string> => {
  const userId = crypto.randomUUID();
  const fields = { user_id: userId, name: role, email: `${userId}@example.com`, role };
  await change(person.caller, (work) => ({
    writes: members.memberWrites(work, members.newMember(work, fields)),
    reply: undefined,
  }));
  if (status !== 'active') {
    const key = members.key(person.caller, userId);
    await change(person.caller, () => ({
      writes: [write.update(key, { set: { status } })],
      reply: undefined,
    }));
  }
  return userId;
};

describe('GET /org', () => {
  test('200 with the values of a new organization', async () => {
    const { status, body } = await as(person.readOnlyKey).try.organization.get();
    expect(status).toBe(200);
    expect(OrganizationWithStorage.parse(body)).toMatchObject({
      id: person.caller.org_id,
      name: 'Harbour',
      owner_user_id: person.adminId,
      logo_url: null,
      storage: { used_bytes: 0, max_bytes: DEFAULT_MAX_STORED_BYTES },
      mails: { waiting: 0, max_per_day: { to_members: 2_000, to_others: 200, report_recipients: 500 } },
      version: 1,
    });
  });
});

describe('PATCH /org', () => {
  test.each(['AN', 'DY', 'HV', 'ZR', 'FX', 'DD', 'UK', 'ZZ'])(
    '422 for %s, which is no code of a country any more, but one that is stored is shown',
    async (region) => {
      const { status, body } = await person.try.organization.update({ body: { region } });
      expect([status, body.detail[0].loc]).toEqual([422, ['body', 'region']]);
      const owner = await newPerson('Stored');
      await change(owner.caller, (work) => ({
        writes: [write.update(keys.organization(work), { set: { region } })],
        reply: undefined,
      }));
      expect((await owner.organization.get()).region).toBe(region);
    },
  );

  test('200, and only the given fields change', async () => {
    const before = await organization();
    const { status, body } = await person.try.organization.update({
      body: { timezone: 'Europe/Athens', weekend_days: ['friday'], expected_version: before.version },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      timezone: 'Europe/Athens',
      weekend_days: ['friday'],
      version: before.version + 1,
      updated_at: body.updated_at,
    });
    expect(await organization()).toEqual(body);
  });

  test('200 for an empty object, which changes nothing', async () => {
    const before = await organization();
    expect(await person.organization.update({ body: {} })).toEqual(before);
  });

  test('200, and the change of a setting is recorded with both values, but nothing for an unchanged one', async () => {
    const owned = await newPerson('Recorded');
    await owned.organization.update({ body: { timezone: 'Europe/Athens', locale: 'en' } });
    await owned.organization.update({ body: { timezone: 'Europe/Athens' } });
    const records = (await auditOf(owned)).filter(({ action }) => action === 'organization.updated');
    expect(records).toMatchObject([
      {
        id: expect.any(String),
        action: 'organization.updated',
        target_id: owned.caller.org_id,
        actor_id: owned.caller.user_id,
        at: expect.any(String),
        changes: { timezone: { from: 'UTC', to: 'Europe/Athens' } },
      },
    ]);
  });

  test('403 for a key that changes a setting which grants rights, and 200 where it stays as it is', async () => {
    const before = await organization();
    const refused = [
      [{ four_eyes_verification: false }, errors.settingNotForKeys('four_eyes_verification')],
      [{ owner_user_id: await newMember('admin') }, errors.ownerIsHandedOver()],
      [{ owner_user_id: crypto.randomUUID() }, errors.ownerIsHandedOver()],
    ] as const;
    for (const [setting, { detail }] of refused) {
      const answer = await person.try.organization.update({ body: { name: 'Pier', ...setting } });
      expect([answer.status, answer.body.detail]).toEqual([403, detail]);
    }
    const same = { owner_user_id: person.adminId, four_eyes_verification: null };
    expect(await person.organization.update({ body: same })).toEqual(before);
  });

  test('the operator can change the owner to an active admin', async () => {
    const userId = await newMember('admin');
    const owner = async ({ owner_user_id }: { owner_user_id: string }) => owner_user_id;
    const change = { owner_user_id: userId, four_eyes_verification: true };
    expect(await organizations.update(operatorOf(person), change, undefined, owner)).toBe(userId);
    expect((await auditOf(person)).at(-1)).toMatchObject({
      actor_id: 'operator',
      changes: { owner_user_id: {} },
    });
    person = { ...person, adminId: userId };
  });

  test('an owner who is not an active admin of the organization is refused', async () => {
    const other = await newPerson('Quay');
    const candidates = [
      await newMember('inspector'),
      await newMember('admin', 'suspended'),
      crypto.randomUUID(),
      other.adminId,
    ];
    for (const owner_user_id of candidates) {
      const updated = organizations.update(
        operatorOf(person),
        { owner_user_id },
        undefined,
        async () => null,
      );
      await expect(updated).rejects.toEqual(errors.ownerNotAdmin('owner_user_id'));
    }
  });

  test('409 for another version', async () => {
    const { status } = await person.try.organization.update({
      body: { name: 'X', expected_version: 999 },
    });
    expect(status).toBe(409);
  });

  test('422 for every problem at once', async () => {
    const { status, body } = await person.try.organization.update({
      body: { timezone: '+02:00', name: ' ', logo_url: 'https://example.com/x.png' },
    });
    expect(status).toBe(422);
    expect(body.detail.map(({ loc }: { loc: string[] }) => loc.at(-1)).toSorted()).toEqual([
      'logo_url',
      'name',
      'timezone',
    ]);
  });
});

const form = (bytes: Uint8Array, name = 'file'): FormData => {
  const data = new FormData();
  data.append(name, new Blob([new Uint8Array(bytes)]), 'logo.png');
  return data;
};

const image = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: '#1a73e8' } });

const storedKey = async (): Promise<string> => (await organizations.get(person.caller)).logo_key!;

describe('POST /org/logo', () => {
  test('201 for PNG, JPEG and WebP, each stored as a PNG that its URL returns', async () => {
    for (const bytes of [
      await image(2_000, 500).png().toBuffer(),
      await image(300, 300).jpeg().toBuffer(),
      await image(300, 300).webp().toBuffer(),
    ]) {
      const { status, body } = await person.try.organization.uploadLogo({ form: form(bytes) });
      expect(status).toBe(201);
      Organization.parse(body);
      const shown = await fetch(body.logo_url);
      const { format, width } = await sharp(await shown.bytes()).metadata();
      expect([format, width <= 1_024]).toEqual(['png', true]);
    }
  });

  test('201, and the image is turned upright and its metadata is removed', async () => {
    const bytes = await image(40, 20).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    await person.organization.uploadLogo({ form: form(bytes) });
    const { width, height, exif } = await sharp(await getObject(person.caller, await storedKey())).metadata();
    expect([width, height, exif]).toEqual([20, 40, undefined]);
  });

  test('201, and the logo before is deleted', async () => {
    const png = await image(10, 10).png().toBuffer();
    await person.organization.uploadLogo({ form: form(png) });
    const former = await storedKey();
    await person.organization.uploadLogo({ form: form(png) });
    expect(await getObject(person.caller, former)).toBeUndefined();
    expect(await getObject(person.caller, await storedKey())).toBeDefined();
  });

  test('201 for twenty parallel uploads, and the stored logo is one of them', async () => {
    const png = await image(10, 10).png().toBuffer();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => person.try.organization.uploadLogo({ form: form(png) })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(await getObject(person.caller, await storedKey())).toBeDefined();
  });

  test('422 for another type of image, for one that is cut off, and for too many pixels or bytes', async () => {
    const png = await image(400, 400).png().toBuffer();
    const jpeg = await image(400, 400).jpeg().toBuffer();
    const bomb = await sharp({ create: { width: 9_000, height: 9_000, channels: 3, background: '#fff' } })
      .png({ compressionLevel: 9 })
      .toBuffer();
    const before = await person.organization.get();
    for (const bytes of [
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      await image(10, 10).gif().toBuffer(),
      png.subarray(0, 100),
      jpeg.subarray(0, jpeg.length / 2),
      Buffer.alloc(3 * 1024 * 1024, png),
      bomb,
    ]) {
      const { status, body } = await person.try.organization.uploadLogo({ form: form(bytes) });
      expect([status, body.detail[0]?.loc]).toEqual([422, ['body', 'file']]);
    }
    expect((await person.organization.get()).version).toBe(before.version);
  });

  test('422 without a file, and for an unknown field', async () => {
    const data = new FormData();
    data.append('logo', 'none');
    const { status, body } = await person.try.organization.uploadLogo({ form: data });
    expect([status, body.detail.map(({ type }: { type: string }) => type).toSorted()]).toEqual([
      422,
      ['extra_forbidden', 'missing'],
    ]);
  });
});

describe('DELETE /org/logo', () => {
  test('204, and both the logo and its object are deleted', async () => {
    await person.organization.uploadLogo({ form: form(await image(10, 10).png().toBuffer()) });
    const former = await storedKey();
    expect((await person.try.organization.deleteLogo()).status).toBe(204);
    expect((await person.organization.get()).logo_url).toBeNull();
    expect(await getObject(person.caller, former)).toBeUndefined();
  });

  test('204 if there is no logo', async () => {
    expect((await as((await newPerson('Bare')).key).try.organization.deleteLogo()).status).toBe(204);
  });
});
