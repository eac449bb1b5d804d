import { describeSettings } from '../../../infra/cloud/settings.ts';
import { commands } from '../../../infra/operator/commands.ts';
import {
  ceilings,
  EVENTS_OF_SAVED_ANSWERS,
  OUTBOX_WRITES_OF_EVENT,
} from '../../../infra/operator/pages/ceilings.ts';
import { FIRST_DEPLOYMENT } from '../../../infra/operator/pages/first-deployment.ts';
import { operatorPages } from '../../../infra/operator/pages/pages.ts';
import { ROLLBACK } from '../../../infra/operator/pages/rollback.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { handOn } from '../../../shared/outside/hand-on.ts';
import { newInspection, start } from '../../inspections/fixtures.ts';
import { interceptCommands } from '../../support/commands.ts';
import { contentWith, field, uuid } from '../../support/content.ts';
import { outboxOf } from '../../support/outbox.ts';
import { newPerson } from '../../support/people.ts';
import { publishedFamily } from '../../templates/fixtures.ts';

const NOTHING = { operations: [], workers: [] };

interface Written {
  TransactItems?: Record<string, { Key?: { pk: string }; Item?: { pk: string } }>[];
}

/** The partitions of the rows that transactions have written. */
const partitions: string[] = [];

interceptCommands('partitions', ({ command, input, send }) => {
  if (command === 'TransactWriteItems')
    for (const item of (input as Written).TransactItems!)
      partitions.push(...Object.values(item).map(({ Key, Item }) => (Key ?? Item)!.pk));
  return send();
});

describe('the ceilings', () => {
  test('count what a request that saves answers writes to the outbox, until its event is handed on', async () => {
    const person = await newPerson('Ana');
    const content = contentWith(field(2), field(3));
    const { id: template_family_id } = await publishedFamily(person.key, { content });
    const { id } = await newInspection(person, { template_family_id });
    await start(person.key, { id });
    await handOn(await outboxOf(person.caller));

    for (const fields of [[2], [2, 3]]) {
      partitions.length = 0;
      const responses = fields.map((n) => ({
        section_id: uuid(1),
        field_id: uuid(n),
        value: `Answer ${fields.length}`,
      }));
      await person.answers.save({ params: { inspection_id: id }, body: { responses } });
      const waiting = await outboxOf(person.caller);
      expect(waiting.map(({ outbox }) => outbox)).toEqual(
        Array.from({ length: EVENTS_OF_SAVED_ANSWERS }, () => 'event'),
      );
      await handOn(waiting);
      expect(partitions.filter((pk) => pk.endsWith('#OUTBOX'))).toHaveLength(
        EVENTS_OF_SAVED_ANSWERS * OUTBOX_WRITES_OF_EVENT,
      );
    }
  });

  test('have numbers for all that they are computed from', () => {
    const all = ceilings(NOTHING);
    for (const { most, arithmetic } of all) {
      expect(`${most} ${arithmetic}`).not.toMatch(/NaN|undefined|Infinity/);
      expect(arithmetic).toMatch(/\d/);
    }
    for (const { source, noticed, mend } of all)
      for (const text of [source, noticed, mend]) expect(text).toMatch(/\w{4}/);
    const most = Object.fromEntries(all.map((ceiling) => [ceiling.what, ceiling.most]));
    expect(most).toMatchObject({
      'Events of one organization: its partition of the outbox': '250 a second',
      'Requests that save answers in one organization': '250 a second',
    });
    expect(all.map(({ what }) => what).join('\n')).toMatch(
      /API for machines[^]+API for people[^]+same time[^]+tenant role[^]+outbox[^]+save answers[^]+sequence[^]+shards[^]+KMS[^]+Mails[^]+Resources of one stack[^]+template[^]+Path nodes/,
    );
  });
});

describe('the first deployment', () => {
  const shown = FIRST_DEPLOYMENT.map(({ command }) => command).join('\n');

  test('names scripts, commands and options that there are', () => {
    const scripts = [...shown.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, script]) => script!);
    expect(scripts.length).toBeGreaterThan(5);
    expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(scripts));
    const called = [...shown.matchAll(/operator -- (.+)/g)].map(([, call]) => call!);
    for (const call of called) {
      const [name, { options }] = Object.entries(commands).find(
        ([each]) => call === each || call.startsWith(`${each} `),
      )!;
      const given: Record<string, string> = Object.fromEntries(
        [...call.slice(name.length).matchAll(/--([a-z-]+) (\S+)/g)].map(([, flag, value]) => [
          flag!,
          value!.startsWith('<') ? 'given' : value!,
        ]),
      );
      for (const [flag, schema] of Object.entries(options.shape))
        if (!(flag in given))
          expect([call, flag, schema.safeParse(undefined).success]).toEqual([call, flag, true]);
      expect(Object.keys(options.shape)).toEqual(expect.arrayContaining(Object.keys(given)));
    }
  });
});

test('the page of rollbacks names scripts, commands, settings and an alias that there are', () => {
  const named = (pattern: RegExp): string[] => [...ROLLBACK.matchAll(pattern)].map(([, name]) => name!);
  const scripts = named(/npm run (?:-s )?([\w:-]+)/g);
  expect(scripts).toEqual(expect.arrayContaining(['deploy', 'smoke', 'test:chaos']));
  expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(scripts));
  expect(Object.keys(commands)).toEqual(expect.arrayContaining(named(/`(?:operator) ([a-z ]+)`/g)));
  for (const flag of named(/-c (\w+)=/g).concat('smokeKey'))
    expect([flag, flag === 'env' || describeSettings().includes(`-c ${flag}=`)]).toEqual([flag, true]);
  expect(ROLLBACK).toContain('--name live ');
});

describe('the pages for operators', () => {
  const pages = operatorPages(NOTHING);

  test('lead to each other, show everything, and load nothing', () => {
    const links = [...pages['/operate']!().body.matchAll(/href="operate\/([a-z-]+)"/g)];
    expect(links.map(([, name]) => `/operate/${name}`).toSorted()).toEqual(
      Object.keys(pages)
        .filter((path) => path !== '/operate')
        .toSorted(),
    );
    for (const page of Object.values(pages)) {
      const { body, headers } = page();
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(body).not.toContain('<script');
    }
    for (const { what } of ceilings(NOTHING)) expect(pages['/operate/ceilings']!().body).toContain(what);
    for (const { what } of FIRST_DEPLOYMENT)
      expect(pages['/operate/first-deployment']!().body).toContain(what);
  });
});
