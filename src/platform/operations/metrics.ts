import { Injectable } from '@nestjs/common';
import { type Metric, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';

/** One metric with its values, in the format exchanged between processes. */
export type MetricValues = MetricObjectWithValues<MetricValue<string>>;

/** Reads the metrics of another process; none while it is not running. */
export type MetricSource = () => Promise<MetricValues[]>;

/** The metrics of one application; each module registers its own, and `/metrics` prints them all. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  private worker: MetricSource | null = null;

  /**
   * From now on each metric has the label `process`, and the worker process's metrics are included.
   */
  includeWorker(source: MetricSource): void {
    this.worker = source;
  }

  async values(): Promise<MetricValues[]> {
    return (await this.registry.getMetricsAsJSON()) as MetricValues[];
  }

  /** In Prometheus's text format. */
  async text(): Promise<string> {
    if (!this.worker) return this.registry.metrics();
    const [own, workers] = await Promise.all([this.values(), this.worker()]);
    return textOf([...labeled(own, 'api'), ...labeled(workers, 'worker')]);
  }
}

function labeled(metrics: MetricValues[], process: 'api' | 'worker'): MetricValues[] {
  return metrics.map((metric) => ({
    ...metric,
    values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, process } })),
  }));
}

/** Prometheus requires the values of a metric to be adjacent. */
function textOf(metrics: MetricValues[]): Promise<string> {
  const merged = new Registry();
  for (const [, [first, ...others]] of Map.groupBy(metrics, ({ name }) => name)) {
    if (!first) continue;
    const all = { ...first, values: [first, ...others].flatMap(({ values }) => values) };
    merged.registerMetric({ ...all, get: () => Promise.resolve(all) } as unknown as Metric);
  }
  return merged.metrics();
}
