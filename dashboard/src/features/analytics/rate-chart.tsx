import { useMantineColorScheme, useMantineTheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ConsentAnalyticsView } from '../../client/types.gen';
import { formatPercent } from '../../shared/format';
import { locale, t } from '../../i18n/i18n';
import { intervalText } from './interval-text';

const HEIGHT = 240;
const DASHES = { fullAccept: [], rejection: [6, 4], withdrawal: [10, 3, 2, 3], analytics: [2, 3] };
const LINES = ['fullAccept', 'rejection', 'withdrawal', 'analytics'] as const;

/** Days or hours below the picture, in UTC as they are counted and in the person's way of writing them. */
function shortTexts(interval: ConsentAnalyticsView['interval']): Intl.DateTimeFormat {
  const parts: Intl.DateTimeFormatOptions =
    interval === 'hour' ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' };
  return new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...parts });
}

/** Rates over time. The table below shows the same numbers; lines differ by their dashes, not by colour alone. */
export default function RateChart({ series, interval }: Pick<ConsentAnalyticsView, 'series' | 'interval'>) {
  const frame = useRef<HTMLDivElement>(null);
  const theme = useMantineTheme();
  const { colorScheme } = useMantineColorScheme();
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const style = getComputedStyle(element);
    const text = style.getPropertyValue('--mantine-color-text');
    const grid = style.getPropertyValue('--mantine-color-default-border');
    const colors = ['--good', '--bad', '--waiting', '--mantine-color-text'].map((name) =>
      style.getPropertyValue(name),
    );
    const days = shortTexts(interval);
    const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid } };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        // Whole days in UTC, as the API counts them.
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'UTC'),
        scales: { y: { range: [0, 100] } },
        axes: [
          { ...axis, values: (_plot, instants) => instants.map((seconds) => days.format(seconds * 1_000)) },
          { ...axis, values: (_plot, values) => values.map((value) => `${value} %`) },
        ],
        series: [
          {
            label: t('analytics.time'),
            value: (_plot, seconds) =>
              seconds === null ? '–' : intervalText(new Date(seconds * 1_000).toISOString(), interval),
          },
          ...LINES.map((rate, index) => ({
            label: t(`analytics.metrics.${rate}`),
            stroke: colors[index] ?? text,
            width: 2,
            dash: DASHES[rate],
            spanGaps: false,
            value: (_plot: uPlot, value: number | null) => formatPercent(value === null ? null : value / 100),
          })),
        ],
      },
      [
        series.map(({ at }) => Date.parse(at) / 1_000),
        ...LINES.map((rate) => series.map(({ rates }) => (rates[rate] === null ? null : rates[rate] * 100))),
      ],
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [series, interval, theme, colorScheme]);
  return <div ref={frame} role="img" aria-label={t('analytics.chart')} />;
}
