import { $, type Chapter } from '../../infra/chapters/chapter.ts';
import { CHAPTERS } from '../../infra/chapters/chapters.ts';
import { chapterPages } from '../../infra/chapters/pages.ts';
import { programOf, routesOf } from '../../infra/chapters/programs.ts';
import { allEntries } from '../support/catalogue.ts';

const catalogue = { operations: allEntries(), workers: [] };
const routes = routesOf(catalogue);

const crane: Chapter = {
  name: 'crane',
  title: 'Crane',
  whom: 'For crane drivers.',
  steps: [
    'Text.',
    { call: 'createLocation', body: { name: 'Crane 7', lat: null }, as: 'crane' },
    {
      call: 'updateLocation',
      path: { location_id: $('crane.id!') },
      body: { name: 'Crane 8', client_account_id: $('crane.client_account_id') },
    },
    { call: 'getReport', path: { report_id: $('crane.id') }, until: 'ready', as: 'report' },
    { print: ['report.status'] },
  ],
  prints: [],
};

/** The program of the chapter without what every program begins with. */
const stepsIn = (language: 'curl' | 'typescript' | 'python'): string => {
  const program = programOf(crane, language, routes);
  return program
    .slice(program.length - 2_000)
    .replace(/[^]*?(?=\n(const )?crane ?=)/, '')
    .trim();
};

describe('a chapter', () => {
  test('is written for curl', () => {
    expect(stepsIn('curl')).toBe(`crane=$(call "$API/locations" -d '{"name": "Crane 7", "lat": null}')
crane_id=$(jq -r .id <<< "$crane")
crane_client_account_id=$(jq -r .client_account_id <<< "$crane")

call "$API/locations/$crane_id" -X PATCH -o /dev/null -d @- <<JSON
{"name": "Crane 8", "client_account_id": "$crane_client_account_id"}
JSON

until report=$(call "$API/reports/$crane_id") && jq -e '.status | . == "ready" or . == "failed"' <<< "$report" > /dev/null; do
  sleep 1
done
report_status=$(jq -r .status <<< "$report")

echo "$report_status"`);
  });

  test('is written in TypeScript', () => {
    expect(stepsIn('typescript'))
      .toBe(`const crane = await api.createLocation({ body: { name: 'Crane 7', lat: null } });

await api.updateLocation({
  path: { location_id: crane.id! },
  body: { name: 'Crane 8', client_account_id: crane.client_account_id }
});

const report = await api.wait(() => api.getReport({ path: { report_id: crane.id } }));

console.log(report.status);`);
  });

  test('is written in Python', () => {
    expect(stepsIn('python')).toBe(`crane = call("POST", "/locations", {"name": "Crane 7", "lat": None})

call("PATCH", f"/locations/{crane['id']}", {"name": "Crane 8", "client_account_id": crane["client_account_id"]})

while (report := call("GET", f"/reports/{crane['id']}"))["status"] not in ("ready", "failed"):
    time.sleep(1)

print(report["status"])`);
  });

  test('names operations that exist', () => {
    const wrong: Chapter = { ...crane, steps: [{ call: 'createCrane' }] };
    expect(() => programOf(wrong, 'curl', routes)).toThrow('there is no operation createCrane');
  });
});

describe('the pages of the chapters', () => {
  const pages = chapterPages(catalogue);

  test('lead to each other', () => {
    for (const { name } of CHAPTERS) {
      expect(pages['/chapters']!().body).toContain(`href="chapters/${name}"`);
      for (const [, target] of pages[`/chapters/${name}`]!().body.matchAll(/href="([a-z-]+)"/g))
        expect(Object.keys(pages)).toContain(`/chapters/${target}`);
    }
  });

  test('lead to the chapters before and after each, to the reference and to the admin app', () => {
    const names = CHAPTERS.map(({ name }) => name);
    for (const [position, name] of names.entries()) {
      const { body } = pages[`/chapters/${name}`]!();
      const [, shown = ''] = /<nav class="ways"[^>]*>(.*?)<\/nav>/.exec(body) ?? [];
      expect(Array.from(shown.matchAll(/href="([^"]*)"/g), ([, address]) => address)).toEqual(
        [names[position - 1], names[position + 1]].filter((each) => each !== undefined),
      );
      expect(body).toContain('href="../docs"');
      expect(body).toContain('href="../admin"');
    }
    expect(pages['/chapters']!().body).toContain('href="admin"');
  });

  test.each(CHAPTERS)('show all of $title, and nothing from elsewhere', (chapter) => {
    const { body, headers } = pages[`/chapters/${chapter.name}`]!();
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(body).not.toMatch(/<script [^>]*src|https?:\/\/(?!localhost)[^"'\s]*\.(js|css)"/);
    expect(body).toContain(chapter.whom);
    for (const step of chapter.steps)
      if (typeof step === 'object' && 'call' in step) expect(body).toContain(`api.${step.call}(`);
  });
});
