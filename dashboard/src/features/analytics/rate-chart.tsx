import { useMantineColorScheme, useMantineTheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ConsentAnalyticsView } from '../../client/types.gen';
import { t } from '../../texts/texts';

const HEIGHT = 240;
const DASHES: Record<string, number[]> = { fullAccept: [], rejection: [6, 4], analytics: [2, 3] };
const LINES = ['fullAccept', 'rejection', 'analytics'] as const;

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
    const colors = [style.getPropertyValue('--good'), style.getPropertyValue('--bad'), text];
    const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid } };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        // Whole days in UTC, as the API counts them.
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'UTC'),
        scales: { y: { range: [0, 100] } },
        axes: [axis, { ...axis, values: (_plot, values) => values.map((value) => `${value} %`) }],
        series: [
          { label: t.analytics.when },
          ...LINES.map((rate, index) => ({
            label: t.analytics.figures[rate],
            stroke: colors[index] ?? text,
            width: 2,
            dash: DASHES[rate] ?? [],
            spanGaps: false,
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
  return <div ref={frame} role="img" aria-label={t.analytics.chart} />;
}
