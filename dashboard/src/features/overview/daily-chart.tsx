import { useMantineColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import type { DailyRecordsResponse } from '../../client/types.gen';
import { formatNumber } from '../../shared/format';
import { drawLineChart } from '../../shared/line-chart';
import { shortDay } from '../../shared/time';
import { useZone } from '../../shared/zone';
import { locale, t } from '../../i18n/i18n';
import { chartData } from './chart-data';
import { formatDay } from './day';

const HEIGHT = 236;
/** So few records would otherwise be drawn between fractions of a record. */
const SMALLEST_TOP = 5;
const HEADROOM = 1.1;
const Y_AXIS_PX = 44;
const HIDDEN = { show: false };
/** The tooltip is beside the pointer, on its other side in the right half. */
const TIP_DISTANCE_PX = 12;

/** Records per day, the opted-in ones, and the previous 30 days. The table has the same numbers. */
export default function DailyChart({ days }: { days: DailyRecordsResponse[] }) {
  const frame = useRef<HTMLDivElement>(null);
  const { colorScheme } = useMantineColorScheme();
  const { zone } = useZone();
  const [point, setPoint] = useState<{ index: number; leftPx: number } | null>(null);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const compact = new Intl.NumberFormat(locale, { notation: 'compact' });
    return drawLineChart(element, {
      height: HEIGHT,
      yAxisPx: Y_AXIS_PX,
      data: chartData(days),
      onPoint: setPoint,
      options: ({ accent, accentSoft, good, muted, raised }) => ({
        ...(zone === 'utc' && { tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'UTC') }),
        scales: { y: { range: (_plot, _low, high) => [0, Math.max(SMALLEST_TOP, high * HEADROOM)] } },
        labels: [
          (seconds) => shortDay(new Date(seconds * 1_000), zone, locale),
          (value) => (Number.isInteger(value) ? compact.format(value) : ''),
        ],
        series: [
          {},
          { width: 2, stroke: accent, fill: fade(accentSoft), points: HIDDEN },
          { width: 2, stroke: good, dash: [8, 3], points: HIDDEN },
          { width: 1.5, stroke: muted, dash: [2, 4], points: HIDDEN },
          todaySeries(accent, raised),
          todaySeries(good, raised),
        ],
      }),
    });
  }, [days, colorScheme, zone]);
  const day = point && days[point.index];
  return (
    <>
      <div ref={frame} className="chart" role="img" aria-label={t('overview.chart')} />
      {day && <Tip day={day} leftPx={point.leftPx} isRight={point.index > days.length / 2} />}
    </>
  );
}

function Tip({ day, leftPx, isRight }: { day: DailyRecordsResponse; leftPx: number; isRight: boolean }) {
  const { zone } = useZone();
  const rows = [
    [t('overview.all'), day.records],
    [t('overview.optedIn'), day.optedIn],
    [t('overview.daysBefore'), day.recordsBefore],
  ] as const;
  return (
    <div
      className="chart-tip"
      aria-hidden
      style={
        isRight
          ? { left: leftPx - TIP_DISTANCE_PX, transform: 'translateX(-100%)' }
          : { left: leftPx + TIP_DISTANCE_PX }
      }
    >
      <b>{formatDay(day.at, zone)}</b>
      {rows.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <span>{name}</span>
          <span className="number">{formatNumber(value)}</span>
        </div>
      ))}
    </div>
  );
}

/** The running day as a dot without a line, which would fall to it. */
function todaySeries(color: string, background: string): uPlot.Series {
  return {
    stroke: color,
    paths: () => null,
    points: { show: true, size: 9, width: 2, stroke: color, fill: background },
  };
}

const fade = (color: string): string => `color-mix(in srgb, ${color} 55%, transparent)`;
