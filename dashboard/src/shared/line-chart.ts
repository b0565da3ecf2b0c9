import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

/** The page's colors for a chart. */
type ChartColors = Record<
  'text' | 'muted' | 'line' | 'raised' | 'accent' | 'accentSoft' | 'good' | 'bad' | 'waiting',
  string
>;

interface LineChart {
  height: number;
  options: (colors: ChartColors) => Pick<uPlot.Options, 'series' | 'scales' | 'tzDate'> & {
    /** Labels of the two axes. */
    labels: [x: (value: number) => string, y: (value: number) => string];
  };
  data: uPlot.AlignedData;
  /** Called with the pointed-at value and its place; null: nothing is pointed at. Present: the page has its own legend. */
  onPoint?: (point: { index: number; leftPx: number } | null) => void;
  /** Room for the labels of the y axis; absent: enough for `1,000,000`. */
  yAxisPx?: number;
  /** Whether the last interval is still running: its line has a shaded ground. */
  shadesLast?: boolean;
}

/** Wide enough for `100 %` and `1,000,000`; a narrower axis cuts them. */
const Y_AXIS_PX = 60;
const X_AXIS = { size: 32, gap: 10 };

/** Draws lines into an element and keeps them as wide as it. Returns what removes them. */
export function drawLineChart(element: HTMLElement, chart: LineChart): () => void {
  const { height, options, data, onPoint, yAxisPx = Y_AXIS_PX, shadesLast = false } = chart;
  const colors = readColors(element);
  const { labels, ...rest } = options(colors);
  const axis = {
    stroke: colors.muted,
    font: `12px ${getComputedStyle(element).fontFamily}`,
    grid: { stroke: colors.line, width: 1 },
    ticks: { show: false },
  };
  const last = data[0].length - 1;
  const plot = new uPlot(
    {
      ...rest,
      height,
      width: element.clientWidth,
      axes: [
        { ...axis, ...X_AXIS, grid: { show: false }, values: (_plot, values) => values.map(labels[0]) },
        { ...axis, size: yAxisPx, values: (_plot, values) => values.map(labels[1]) },
      ],
      ...(onPoint && { legend: { show: false }, cursor: { y: false } }),
      hooks: {
        drawClear: shadesLast ? [(plot) => shadeFrom(plot, data[0][last - 1], colors.accentSoft)] : [],
        ...(onPoint
          ? { setCursor: [(plot: uPlot) => onPoint(pointedAt(plot))] }
          : {
              // Without a pointer the legend shows the newest values, not dashes.
              ready: [(plot: uPlot) => plot.setLegend({ idx: last })],
              setCursor: [
                (plot: uPlot) => (plot.cursor.idx ?? null) === null && plot.setLegend({ idx: last }),
              ],
            }),
      },
    },
    data,
    element,
  );
  const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
  observer.observe(element);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
}

function pointedAt({ cursor, bbox }: uPlot): { index: number; leftPx: number } | null {
  const { idx = null, left = -1 } = cursor;
  return idx === null || left < 0 ? null : { index: idx, leftPx: left + bbox.left / uPlot.pxRatio };
}

/** Fills the ground of the plot from a value of the x axis to its right edge. */
function shadeFrom({ ctx, bbox, valToPos }: uPlot, value: number | undefined, color: string): void {
  if (value === undefined) return;
  const left = valToPos(value, 'x', true);
  ctx.fillStyle = color;
  ctx.fillRect(left, bbox.top, bbox.left + bbox.width - left, bbox.height);
}

function readColors(element: HTMLElement): ChartColors {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(`--${name}`);
  return {
    text: color('text'),
    muted: color('text-2'),
    line: color('line'),
    raised: color('raised'),
    accent: color('accent'),
    accentSoft: color('accent-soft'),
    good: color('good'),
    bad: color('bad'),
    waiting: color('waiting'),
  };
}
