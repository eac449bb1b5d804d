import * as z from 'zod';
import { DEFAULT_LAYOUT, ReportLayoutContent } from '../../shared/schemas/reports/report-layout-content.ts';
import { ReportPayload } from '../../shared/schemas/reports/report-payload.ts';
import { findingsWithActions } from './fixtures/hard-cases.ts';

describe('ReportPayload', () => {
  it('accepts the payload of the renderer tests unchanged', () => {
    expect(ReportPayload.parse(findingsWithActions())).toEqual(findingsWithActions());
    expect(ReportLayoutContent.parse(DEFAULT_LAYOUT)).toEqual(DEFAULT_LAYOUT);
  });

  it('rejects an unknown property, such as a link to a photo', () => {
    const payload = findingsWithActions();
    Object.assign(payload.findings[0]?.media[0] ?? {}, {
      url: 'https://bucket.example/photo?X-Amz-Signature=1',
    });
    expect(ReportPayload.safeParse(payload).error?.issues).toMatchObject([
      { code: 'unrecognized_keys', keys: ['url'] },
    ]);
  });

  it('becomes a JSON Schema in which each object has a name', () => {
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
