import * as z from 'zod';
import {
  DEFAULT_LAYOUT,
  ReportLayoutContent,
  ReportPayload,
} from '../../shared/schemas/reports/report-payload.ts';
import { foodEstablishment } from './fixtures/food-establishment.ts';

describe('ReportPayload', () => {
  it('accepts the payload of the renderer tests unchanged', () => {
    expect(ReportPayload.parse(foodEstablishment())).toEqual(foodEstablishment());
    expect(ReportLayoutContent.parse(DEFAULT_LAYOUT)).toEqual(DEFAULT_LAYOUT);
  });

  it('rejects an unknown property, such as a link to a photo', () => {
    const payload = foodEstablishment();
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
