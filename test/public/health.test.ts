import * as getHealth from '../../functions/public/get-health.ts';
import { audienceOf, routesOf } from '../../shared/http/operation/surface.ts';
import { invoke } from '../support/call.ts';
import { expectRecorded, usesOfOperation } from '../support/recorded.ts';
import { installRecorder, recording } from '../support/recorder.ts';

installRecorder();

const { operation } = getHealth;

const health = () => invoke(getHealth, {}, {}, Buffer.alloc(0));

describe('GET /health', () => {
  afterEach(() => {
    delete process.env['RELEASE'];
  });

  test('200 with the release, without a key, and uses what is recorded: nothing', async () => {
    process.env['RELEASE'] = '1.2.3';
    const { result, sent } = await recording(health);
    expect(result).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(operation.response.parse(JSON.parse(result.text))).toEqual({ status: 'ok', release: '1.2.3' });
    expectRecorded(operation.id, usesOfOperation([sent]));
    expect(routesOf(operation)).toEqual([{ surface: 'probe', path: '/health' }]);
  });

  test('500 where the deployment does not say its release', async () => {
    expect(await health()).toMatchObject({ status: 500 });
  });

  test('is part of the API for people, whose host is the service’s own address', () => {
    expect(routesOf(operation).map(audienceOf)).toEqual(['people']);
  });
});
