import type { ApiError } from '../../shared/base/api-error.ts';
import type { Caller } from '../../shared/base/caller.ts';
import * as errors from '../../shared/base/errors.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import * as access from '../../shared/organizations/people/access.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { type Answer, as, type Client } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { between, installFaults } from '../support/faults.ts';
import { heardOf, installHearing } from '../support/heard.ts';
import { newMember, newPerson, onBehalfOf, operatorOf, type Person } from '../support/people.ts';
import { letKeysAct, type SignedIn, signIn } from '../support/signed-in.ts';
import { grantApproval, publishedFamily } from '../templates/fixtures.ts';
import { newInspection } from './fixtures.ts';

installFaults();
installHearing();

/** Whoever sends a request: a key for itself or for a member, or a person who has signed in. */
interface Actor {
  client: Client;
  headers?: Record<string, string>;
  isSignedIn?: true;
}

const FAMILY = {
  content: {
    ...contentWith(field(2), field(3)),
    start: { fields: [{ key: 'site', type: 'text', label: 'Site' }] },
  },
  requires_approval: true,
  settings: { correction_mode: 'reapprove', approval: { allow_api: true } },
};

let org: Person;
let family: { id: string };
/** Does what a test is not about. */
let clerk: Actor;
let [ada, bea]: SignedIn[] = [];
/** Actors by who they are: the key, and the member for whom it acts. */
const actors: Record<string, Actor> = {};

const newKey = async (maker: Caller): Promise<Client> => {
  const right = { access: 'read_write', expires: 'never', act_for_members: true } as const;
  return as((await apiKeys.create(maker, { name: 'App', ...right })).key);
};

beforeAll(async () => {
  org = await newPerson('Org');
  clerk = { client: org };
  family = await publishedFamily(org.key, FAMILY);
  [ada, bea] = [await signIn(org), await signIn(org)];
  await Promise.all([ada, bea].map(letKeysAct));
  const made = { app: operatorOf(org), other: operatorOf(org), own: ada.caller, second: ada.caller };
  for (const [name, maker] of Object.entries(made)) {
    const client = await newKey(maker);
    actors[name] = { client };
    for (const [member, { userId }] of Object.entries({ ada, bea })) {
      actors[`${name} for ${member}`] = { client, headers: onBehalfOf({ user_id: userId }) };
    }
  }
  actors['ada signed in'] = { client: as(ada), isSignedIn: true };
  actors['bea signed in'] = { client: as(bea), isSignedIn: true };
});

type Of = { params: { inspection_id: string } };

const of = ({ id }: { id: string }): Of => ({ params: { inspection_id: id } });

const started = async (template_family_id = family.id): Promise<Inspection> => {
  const inspection = await newInspection(org, { template_family_id });
  return org.inspections.start(of(inspection));
};

const decide = (
  { client, headers = {}, isSignedIn }: Actor,
  inspection: { id: string },
  decision = 'approve',
): Promise<Answer> => {
  const body = { decision, comment: 'Seen' };
  return isSignedIn
    ? client.try.inspections.decide({ ...of(inspection), body })
    : client.try.inspections.advance({ ...of(inspection), body, headers });
};

type Work = (actor: Actor, request: Of & { headers: Record<string, string> }) => Promise<unknown>;

const ANSWER = { section_id: uuid(1), field_id: uuid(2), value: 'Tight' };

/** What counts as work. Nothing else of the inspection is touched by whoever does it. */
const WORK: Record<string, Work> = {
  'answers a question': ({ client }, request) => client.answers.replace({ ...request, body: ANSWER }),
  'changes an answer': async ({ client }, { params, headers }) => {
    await org.answers.replace({ params, body: ANSWER });
    await client.answers.update({ params, headers, body: { ...ANSWER, value: 'Loose' } });
  },
  'answers a batch': ({ client }, request) =>
    client.answers.save({ ...request, body: { responses: [ANSWER] } }),
  'sends an answer that arrives too late': async ({ client }, { params, headers }) => {
    const at = (client_answered_at: string) => ({ ...ANSWER, client_answered_at });
    await org.answers.replace({ params, body: at('2026-02-02T00:00:00Z') });
    await client.answers.replace({
      params,
      headers,
      body: { ...at('2026-01-01T00:00:00Z'), value: 'Loose' },
    });
  },
  'changes a start answer': ({ client }, request) =>
    client.inspections.update({ ...request, body: { start_answers: { site: 'North' } } }),
  'adds a finding': ({ client }, request) => client.findings.create({ ...request, body: { label: 'Dent' } }),
  'changes a finding': async ({ client }, { params, headers }) => {
    const { id } = await org.findings.create({ params, body: { label: 'Dent' } });
    await client.findings.update({ params: { finding_id: id }, headers, body: { label: 'Crack' } });
  },
  'deletes a finding': async ({ client }, { params, headers }) => {
    const { id } = await org.findings.create({ params, body: { label: 'Dent' } });
    await client.findings.delete({ params: { finding_id: id }, headers });
  },
  'is replaced as a participant who has answered': async ({ client }, { params, headers }) => {
    await org.inspections.update({ params, body: { participants: [{ user_id: ada!.userId }] } });
    await client.answers.replace({ params, headers, body: ANSWER });
    await org.inspections.update({ params, body: { participants: [] } });
  },
};

const work = (what: string, who: string, inspection: Inspection): Promise<unknown> =>
  WORK[what]!(actors[who]!, { ...of(inspection), headers: actors[who]!.headers ?? {} });

const refusal = ({ detail }: ApiError) => [403, detail];
const approval = async (who: Actor, inspection: { id: string }) => {
  const { status, body } = await decide(who, inspection);
  return [status, body.detail];
};
const APPROVED = [200, undefined];

describe('whoever works on an inspection does not approve it', () => {
  test.each(Object.keys(WORK))('403 for somebody who %s, and 200 for another', async (what) => {
    const inspection = await started();
    await work(what, 'app for ada', inspection);
    await clerk.client.inspections.advance(of(inspection));
    for (const who of ['other for ada', 'ada signed in'])
      expect(await approval(actors[who]!, inspection)).toEqual(refusal(errors.ownWork('inspection')));
    expect(await approval(actors['app for bea']!, inspection)).toEqual(
      refusal(errors.workOfKey('inspection')),
    );
    expect(await approval(actors['other for bea']!, inspection)).toEqual(APPROVED);
  });

  test('403 for whoever has submitted it', async () => {
    const inspection = await started();
    await clerk.client.answers.replace({ ...of(inspection), body: ANSWER });
    const { client, headers = {} } = actors['app for ada']!;
    await client.inspections.advance({ ...of(inspection), headers });
    expect(await approval(actors['ada signed in']!, inspection)).toEqual(
      refusal(errors.ownWork('inspection')),
    );
    expect(await approval(actors['bea signed in']!, inspection)).toEqual(APPROVED);
  });

  test('403 for a participant, who may request changes and reject', async () => {
    const inspection = await newInspection(org, {
      template_family_id: family.id,
      participants: [{ user_id: ada!.userId }],
    });
    const { client, headers = {} } = actors['app for ada']!;
    const submit = () => client.inspections.advance({ ...of(inspection), headers });
    await submit();
    await submit();
    expect(await approval(actors['ada signed in']!, inspection)).toEqual(
      refusal(errors.ownWork('inspection')),
    );
    expect((await decide(actors['ada signed in']!, inspection, 'request_changes')).status).toBe(200);
    await submit();
    expect((await decide(actors['ada signed in']!, inspection, 'reject')).status).toBe(200);
  });

  test('200 for whoever has only created, named and started it', async () => {
    const { client, headers = {} } = actors['app for ada']!;
    const inspection = await client.inspections.create({
      headers,
      body: { template_family_id: family.id, start_answers: { site: 'North' } },
    });
    await client.inspections.update({ ...of(inspection), headers, body: { name: 'Monday' } });
    await client.inspections.start({ ...of(inspection), headers });
    await clerk.client.inspections.advance(of(inspection));
    expect(await approval(actors['app for ada']!, inspection)).toEqual(APPROVED);
  });

  test('200 in a duplicate and a re-inspection of what somebody has worked on', async () => {
    const first = await started();
    await work('answers a question', 'app for ada', first);
    await clerk.client.inspections.advance(of(first));
    await decide(actors['bea signed in']!, first);
    const copies: Inspection[] = [
      await org.inspections.duplicate(of(first)),
      await org.inspections.createReinspection({ ...of(first), body: { scope: 'all' } }),
    ];
    for (const copy of copies) {
      await org.inspections.start(of(copy));
      await org.inspections.advance(of(copy));
      expect(await approval(actors['app for ada']!, copy)).toEqual(APPROVED);
    }
  });

  test('403 when the approver adds a finding between any two calls of the approval', async () => {
    let found: Answer;
    let approved: Answer;
    const places = await between({
      prepare: async () => {
        const inspection = await started();
        await clerk.client.inspections.advance(of(inspection));
        return inspection;
      },
      work: async (inspection) => {
        approved = await decide(actors['bea signed in']!, inspection);
      },
      act: async (inspection) => {
        const { client, headers = {} } = actors['app for bea']!;
        found = await client.try.findings.create({ ...of(inspection), headers, body: { label: 'Dent' } });
      },
      check: async () => {
        expect([found.status, approved.status]).toEqual(found.status === 201 ? [201, 403] : [409, 200]);
      },
    });
    expect(places).toBeGreaterThan(1);
  });
});

/** Who works, who approves, and why that is refused. */
const SIDES: [string, string, (noun: string) => ApiError][] = [
  ['app for ada', 'app for bea', errors.workOfKey],
  ['app for ada', 'app', errors.workOfKey],
  ['app', 'app for bea', errors.workOfKey],
  ['app', 'app', errors.ownWork],
  ['own', 'ada signed in', errors.workOfOwnKey],
  ['own for bea', 'ada signed in', errors.workOfOwnKey],
  ['own for bea', 'other for ada', errors.workOfOwnKey],
  ['app for ada', 'own for bea', errors.workOfKeyMaker],
  ['app for ada', 'own', errors.workOfKeyMaker],
  ['own for bea', 'second', errors.workOfKeyMaker],
];

describe('an API key and the person who made it are one side', () => {
  test.each(SIDES)('403 when “%s” works and “%s” approves', async (worker, approver, error) => {
    const inspection = await started();
    await work('answers a question', worker, inspection);
    await clerk.client.inspections.advance(of(inspection));
    expect(await approval(actors[approver]!, inspection)).toEqual(refusal(error('inspection')));
  });

  test.each([
    ['app for ada', 'other'],
    ['app', 'own for bea'],
    ['own', 'other for bea'],
    ['own', 'bea signed in'],
  ])('200 when “%s” works and “%s” approves', async (worker, approver) => {
    const inspection = await started();
    await work('answers a question', worker, inspection);
    await clerk.client.inspections.advance(of(inspection));
    expect(await approval(actors[approver]!, inspection)).toEqual(APPROVED);
  });
});

describe('a correction', () => {
  const corrected = async (): Promise<Inspection> => {
    const inspection = await started();
    await clerk.client.inspections.advance(of(inspection));
    await decide(actors['bea signed in']!, inspection);
    return inspection;
  };
  const decideOn = async ({ client, headers = {}, isSignedIn }: Actor, correction: Correction) => {
    const { inspection_id, id: correction_id } = correction;
    const request = { params: { inspection_id, correction_id }, headers };
    const { status, body } = isSignedIn
      ? await client.try.corrections.decide({ ...request, body: { decision: 'approve' } })
      : await client.try.corrections.approve(request);
    return [status, body.detail];
  };
  const steps: Record<string, number> = { opens: 0, answers: 1, 'changes the setup': 2, closes: 3 };

  test.each(Object.keys(steps))('403 for somebody who %s one, and 200 for another', async (step) => {
    const inspection = await corrected();
    const by = (position: number) => (steps[step] === position ? actors['app for ada']! : clerk);
    const request = (position: number) => ({ ...of(inspection), headers: by(position).headers ?? {} });
    const correction: Correction = await by(0).client.corrections.create({
      ...request(0),
      body: { reason: 'A typing error' },
    });
    await by(1).client.answers.replace({ ...request(1), body: ANSWER });
    await by(2).client.inspections.update({ ...request(2), body: { name: 'Tuesday' } });
    const { params, headers } = request(3);
    const at = { params: { ...params, correction_id: correction.id }, headers };
    await by(3).client.corrections.close(at);
    expect(await decideOn(actors['ada signed in']!, correction)).toEqual(
      refusal(errors.ownWork('inspection')),
    );
    expect(await decideOn(actors['app for bea']!, correction)).toEqual(
      refusal(errors.workOfKey('inspection')),
    );
    expect(await decideOn(actors['bea signed in']!, correction)).toEqual(APPROVED);
  });

  test('200 for somebody who has rejected an earlier one', async () => {
    const inspection = await corrected();
    const openAndClose = async (): Promise<Correction> => {
      const correction = await org.corrections.create({ ...of(inspection), body: { reason: 'Again' } });
      await org.answers.replace({ ...of(inspection), body: { ...ANSWER, value: correction.id } });
      const params = { inspection_id: inspection.id, correction_id: correction.id };
      return org.corrections.close({ params });
    };
    const { id, inspection_id } = await openAndClose();
    await as(bea!).corrections.decide({
      params: { inspection_id, correction_id: id },
      body: { decision: 'reject' },
    });
    expect(await decideOn(actors['bea signed in']!, await openAndClose())).toEqual(APPROVED);
  });
});

type Correction = { id: string; inspection_id: string };

describe('settings of the family', () => {
  test('200 for one’s own work without four_eyes', async () => {
    const lax = await publishedFamily(org.key, FAMILY);
    await grantApproval(org.key, lax.id, { four_eyes: false });
    for (const [worker, approver] of SIDES) {
      const inspection = await started(lax.id);
      await work('answers a question', worker, inspection);
      await clerk.client.inspections.advance(of(inspection));
      expect([worker, approver, ...(await approval(actors[approver]!, inspection))]).toEqual([
        worker,
        approver,
        ...APPROVED,
      ]);
    }
  });

  test('an inspection keeps four_eyes as it was when it was created', async () => {
    const lax = await publishedFamily(org.key, FAMILY);
    const inspection = await started(lax.id);
    await grantApproval(org.key, lax.id, { four_eyes: false });
    await clerk.client.inspections.advance(of(inspection));
    expect(await approval(clerk, inspection)).toEqual(refusal(errors.ownWork('inspection')));
    const strict: Inspection = await org.inspections.duplicate(of(inspection));
    await org.inspections.start(of(strict));
    await org.inspections.advance(of(strict));
    expect(await approval(clerk, strict)).toEqual(refusal(errors.ownWork('inspection')));
  });

  test('a copy that a key makes allows no more than the family does', async () => {
    const lax = await publishedFamily(org.key, FAMILY);
    await grantApproval(org.key, lax.id, { four_eyes: false });
    const inspection = await started(lax.id);
    await grantApproval(org.key, lax.id, { four_eyes: true, signed_in_only: true });
    const copy: Inspection = await org.inspections.duplicate(of(inspection));
    await org.inspections.start(of(copy));
    await org.inspections.advance(of(copy));
    expect(await approval(clerk, copy)).toEqual(refusal(errors.decisionNotSignedIn()));
  });

  test.each(['approve', 'request_changes', 'reject'])(
    '403 with signed_in_only for a key that would %s, and 200 for a person who has signed in',
    async (decision) => {
      const { id } = await publishedFamily(org.key, FAMILY);
      await grantApproval(org.key, id, { signed_in_only: true });
      const inspection = await started(id);
      await clerk.client.inspections.advance(of(inspection));
      for (const who of ['other', 'other for bea']) {
        const { status, body } = await decide(actors[who]!, inspection, decision);
        expect([status, body.detail]).toEqual(refusal(errors.decisionNotSignedIn()));
      }
      expect((await decide(actors['bea signed in']!, inspection, decision)).status).toBe(200);
    },
  );

  test('approver_id lists what waits for somebody who may approve it', async () => {
    const body = { ...FAMILY, settings: { approval: { approver_ids: [ada!.userId, bea!.userId] } } };
    const { id } = await publishedFamily(org.key, body);
    const inspection = await started(id);
    await work('answers a question', 'app for ada', inspection);
    await clerk.client.inspections.advance(of(inspection));
    const waitingFor = async (approver_id: string): Promise<string[]> =>
      (await org.inspections.list({ query: { approver_id, template_family_id: id } })).map(
        (each: Inspection) => each.id,
      );
    expect(await waitingFor(ada!.userId)).toEqual([]);
    expect(await waitingFor(bea!.userId)).toEqual([inspection.id]);
  });

  test('an admin decides where all who are named have left or worked on it, and only then', async () => {
    const fay = await newMember(org, 'approver', 'Fay');
    const approval = { approver_ids: [fay.user_id, ada!.userId] };
    const body = { ...FAMILY, settings: { correction_mode: 'reapprove', approval } };
    const { id } = await publishedFamily(org.key, body);
    const inspection = await started(id);
    const names = { [ada!.userId]: 'ada', [bea!.userId]: 'bea' };
    const told = async (step: () => Promise<unknown>): Promise<string[]> =>
      (await heardOf(names, step)).filter((line) => /^(ada|bea) reads/.test(line));
    const submit = () => clerk.client.inspections.advance(of(inspection));
    expect(await told(submit)).toEqual(['ada reads approval_requested']);
    const tried = async () => {
      const { status, body: reply } = await decide(actors['bea signed in']!, inspection);
      return [status, reply.detail];
    };
    const notNamed = refusal(errors.notAnApprover());
    expect(await tried()).toEqual(notNamed);
    await access.remove(operatorOf(org), fay.user_id);
    expect(await tried()).toEqual(notNamed);
    expect((await decide(actors['ada signed in']!, inspection, 'request_changes')).status).toBe(200);
    await work('answers a question', 'app for ada', inspection);
    const standIns = ['ada', 'bea'].map((name) => `${name} reads approval_requested`);
    expect(await told(submit)).toEqual(standIns);
    expect((await tried())[0]).toBe(200);
    const correction = await clerk.client.corrections.create({
      params: { inspection_id: inspection.id },
      body: { reason: 'Misread' },
    });
    await work('answers a question', 'app for ada', inspection);
    const close = () =>
      clerk.client.corrections.close({
        params: { inspection_id: inspection.id, correction_id: correction.id },
      });
    expect(await told(close)).toEqual(
      standIns.map((line) => line.replace(' approval', ' correction_approval')),
    );
  });
});
