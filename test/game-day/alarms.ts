import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Catalogue, loadCatalogue } from '../../infra/catalogue.ts';
import { appOf } from '../../infra/cloud/stacks.ts';
import { emptyBundles } from '../infra/cloud/catalogues.ts';
import { type Alarm, alarmsIn, filled, readTemplates, type Resource } from '../infra/cloud/resources.ts';

/** A metric as CloudWatch would have it, within one period of its alarm. */
export interface Seen {
  /** Of AWS, or the deployment's own. */
  namespace: string;
  name: string;
  /** Such as the area, or the id of the worker. */
  of?: string | undefined;
  value: number;
}

/** The dimension by which metrics are told apart: the area or the function; for a table, the index. */
const subjectOf = ({ Dimensions = [] }: Alarm): string | undefined => {
  const found = Dimensions.find(({ Name }) =>
    ['area', 'operation', 'FunctionName', 'GlobalSecondaryIndexName', 'ApiName', 'RuleName'].includes(Name),
  );
  // A function or a rule is a reference to its resource, whose id ends with a hash.
  return found && filled(found.Value).replace(/^<(.*)[0-9A-F]{8}>$/, '$1');
};

const isCrossed = ({ Threshold, ComparisonOperator }: Alarm, value: number): boolean =>
  ComparisonOperator === 'LessThanThreshold' ? value < Threshold : value >= Threshold;

/** An alarm that is on, and its text, which says what to do. */
export interface Raised {
  id: string;
  text: string;
}

/** The alarms of a deployment. @returns those that metrics raise */
export const newAlarms = async (): Promise<{ raisedBy: (seen: readonly Seen[]) => Raised[] }> => {
  const outdir = mkdtempSync(join(tmpdir(), 'game-day-'));
  const catalogue: Catalogue = await loadCatalogue();
  // The check of the templates by the CDK takes most of the time, and the tests of the cloud have it.
  const props = { outdir, builtinCloudFormationValidation: false };
  const app = await appOf(catalogue, props, emptyBundles);
  const alarms = alarmsIn(readTemplates(app.synth().directory));
  rmSync(outdir, { recursive: true, force: true });

  const isOn = ({ Properties: alarm }: Resource<Alarm>, seen: readonly Seen[]): boolean => {
    // Shares, and what has to last: a fault of a moment does not raise them.
    if (alarm.Expression || alarm.EvaluationPeriods > 1) return false;
    const values = seen.filter(
      ({ namespace, name, of }) =>
        namespace === (alarm.Namespace.startsWith('AWS/') ? alarm.Namespace : 'own') &&
        name === alarm.MetricName &&
        of === subjectOf(alarm),
    );
    return (
      values.length > 0 &&
      isCrossed(
        alarm,
        values.reduce((sum, { value }) => sum + value, 0),
      )
    );
  };
  return {
    raisedBy: (seen) =>
      alarms
        .filter((alarm) => isOn(alarm, seen))
        .map(({ id, Properties }) => ({
          id: id.replace(/[0-9A-F]{8}$/, ''),
          text: filled(Properties.AlarmDescription),
        })),
  };
};
