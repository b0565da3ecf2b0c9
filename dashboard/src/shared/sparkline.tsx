import { SPARK_HEIGHT, SPARK_WIDTH, sparkPoints } from './spark-points';

/**
 * A number over time, without axes: the text beside it has the same content. Empty for fewer than
 * two values.
 */
export function Sparkline({
  values,
  tone = 'accent',
}: {
  values: readonly number[];
  tone?: 'accent' | 'bad';
}) {
  if (values.length < 2) return null;
  const points = sparkPoints(values);
  const line = points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('');
  return (
    <svg
      className="spark"
      data-tone={tone}
      viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      <path className="spark-area" d={`${line}L${SPARK_WIDTH} ${SPARK_HEIGHT}L0 ${SPARK_HEIGHT}Z`} />
      <path className="spark-line" d={line} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
