import { Skeleton } from '@mantine/core';
import { t } from '../i18n/i18n';

export const ROW_HEIGHT = 36;

/** Widths of a row's cells in percent: not all rows are alike. */
const ROWS = [
  [22, 14, 26, 10],
  [16, 18, 20, 12],
  [26, 12, 24, 8],
];

/** Placeholder of a list: rows of text, with lines between them. */
export function SkeletonRows({ rows }: { rows: number }) {
  return (
    <div className="skeleton-rows" aria-busy="true" aria-label={t('list.loading')} role="status">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} style={{ height: ROW_HEIGHT }}>
          {ROWS[row % ROWS.length]?.map((width, cell) => (
            <Skeleton key={cell} height={10} width={`${width}%`} />
          ))}
        </div>
      ))}
    </div>
  );
}
