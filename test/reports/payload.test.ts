import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { FONT_FILES, fontFaces } from '../../shared/reports/fonts.ts';
import {
  DEFAULT_LAYOUT,
  ReportLayoutContent,
  ReportPayload,
} from '../../shared/schemas/reports/report-payload.ts';
import { foodEstablishment } from './food-establishment.ts';

describe('ReportPayload', () => {
  it('is what the renderer is tested with', () => {
    expect(ReportPayload.parse(foodEstablishment())).toEqual(foodEstablishment());
    expect(ReportLayoutContent.parse(DEFAULT_LAYOUT)).toEqual(DEFAULT_LAYOUT);
  });

  it('takes no field that it does not know, a link to a photo for one', () => {
    const payload = foodEstablishment();
    Object.assign(payload.findings[0]?.media[0] ?? {}, {
      url: 'https://bucket.example/photo?X-Amz-Signature=1',
    });
    expect(ReportPayload.safeParse(payload).error?.issues).toMatchObject([
      { code: 'unrecognized_keys', keys: ['url'] },
    ]);
  });

  it('is a JSON Schema whose parts have names', () => {
    const schema = z.toJSONSchema(ReportPayload);
    const inline = Object.entries(schema.properties ?? {}).filter(
      ([, part]) => typeof part === 'object' && part.type === 'object' && part.properties,
    );
    expect(inline).toEqual([]);
    expect(Object.keys(schema.$defs ?? {})).toEqual(
      expect.arrayContaining(['ReportSection', 'ReportField', 'ReportMedia']),
    );
  });
});

describe('fontFaces', () => {
  const paths = (): string[] => [
    ...new Set(Object.values(fontFaces()).flatMap((styles) => Object.values(styles))),
  ];

  afterEach(() => {
    delete process.env['LAMBDA_TASK_ROOT'];
  });

  it('finds every face in the npm packages', () => {
    expect(paths().filter((path) => !existsSync(path))).toEqual([]);
    expect(paths()).toHaveLength(FONT_FILES.length);
  });

  it('takes them from beside the deployed code', () => {
    process.env['LAMBDA_TASK_ROOT'] = '/var/task';
    expect(paths().toSorted()).toEqual(
      FONT_FILES.map((file) => join('/var/task/fonts', basename(file))).toSorted(),
    );
  });
});
