import { useMantineColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import type { AnalyticsResponse } from '../../client/types.gen';
import { formatPercent } from '../../shared/format';
import { drawLineChart } from '../../shared/line-chart';
import { locale, t } from '../../i18n/i18n';
import { intervalText } from './interval-text';
import { rateOf } from './metrics';

const HEIGHT = 236;
/** With fewer days that have a rate, each one is marked by a point. */
const POINTS_BELOW = 4;
const LINES = ['optIn', 'fullAccept', 'rejection', 'withdrawal'] as const;
const DASHES = { optIn: [], fullAccept: [8, 3], rejection: [2, 3], withdrawal: [10, 3, 2, 3] };

/** Days or hours below the chart, counted in UTC and formatted in the user's language. */
function shortTexts(interval: AnalyticsResponse['interval']): Intl.DateTimeFormat {
  const parts: Intl.DateTimeFormatOptions =
    interval === 'hour' ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' };
  return new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...parts });
}

/**
 * Rates over time. Lines also differ by their dashes; the current day or hour is shaded, because
 * its rates still change.
 */
export default function RateChart({ series, interval }: Pick<AnalyticsResponse, 'series' | 'interval'>) {
  const frame = useRef<HTMLDivElement>(null);
  const { colorScheme } = useMantineColorScheme();
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const days = shortTexts(interval);
    const last = series.at(-1)?.at;
    // A line of a single day would not be seen.
    const points = { show: series.filter(({ asked }) => asked > 0).length < POINTS_BELOW };
    return drawLineChart(element, {
      height: HEIGHT,
      shadesLast: true,
      data: [
        series.map(({ at }) => Date.parse(at) / 1_000),
        ...LINES.map((rate) => series.map((counts) => rateOf(counts, rate))),
      ],
      options: ({ accent, good, bad, waiting, muted }) => ({
        // Whole days in UTC, as the API counts them.
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'UTC'),
        scales: { y: { range: [0, 1] } },
        labels: [(seconds) => days.format(seconds * 1_000), formatPercent],
        series: [
          {
            label: t('analytics.time'),
            value: (_plot, seconds) => {
              if (seconds === null) return '–';
              const at = new Date(seconds * 1_000).toISOString();
              return intervalText(at, interval, Date.parse(at) === Date.parse(last ?? ''));
            },
          },
          ...LINES.map((rate, index) => ({
            label: t(`analytics.columns.${rate}`),
            points,
            stroke: [accent, good, bad, waiting][index] ?? muted,
            width: 2,
            dash: DASHES[rate],
            spanGaps: false,
            value: (_plot: uPlot, value: number | null) => formatPercent(value),
          })),
        ],
      }),
    });
  }, [series, interval, colorScheme]);
  return <div ref={frame} className="chart rates-chart" role="img" aria-label={t('analytics.chart')} />;
}
