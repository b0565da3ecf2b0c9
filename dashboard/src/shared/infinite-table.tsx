import { Stack } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type ListQuery, useNextPage } from './list-query';
import { ROW_HEIGHT } from './skeleton-rows';
import { ListEnd } from './list-end';

export interface Column<T> {
  title: string;
  /** Shown instead of the title. */
  header?: ReactNode;
  cell: (item: T) => ReactNode;
  numeric?: boolean;
}

const OVERSCAN_ROWS = 12;

/** A virtualized table that loads the next page before the reader reaches its end. */
export function InfiniteTable<T>(props: {
  label: string;
  query: ListQuery<T>;
  columns: Column<T>[];
  rowKey: (item: T) => string;
  onOpen?: (item: T) => void;
  empty: ReactNode;
}) {
  const { query, columns, rowKey, onOpen } = props;
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useEffect(() => setTop(frame.current?.offsetTop ?? 0), []);
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN_ROWS,
    scrollMargin: top,
  });
  const drawn = rows.getVirtualItems();
  const lastPage = query.data?.pages.at(-1);
  useNextPage(query, (drawn.at(-1)?.index ?? -1) >= items.length - OVERSCAN_ROWS);
  const before = (drawn[0]?.start ?? top) - top;
  const after = rows.getTotalSize() - ((drawn.at(-1)?.end ?? top) - top);
  return (
    <Stack gap="sm" ref={frame}>
      {items.length > 0 && (
        <div className="rows" role="group" aria-label={props.label} tabIndex={0}>
          <table aria-label={props.label}>
            <thead>
              <tr>
                {columns.map(({ title, header: head, numeric: number }, column) => (
                  <th key={column} scope="col" className={number ? 'number' : ''}>
                    {head ?? title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {before > 0 && <tr aria-hidden style={{ height: before }} />}
              {drawn.map(({ index }) => {
                const item = items[index];
                return item === undefined ? null : (
                  <tr
                    key={rowKey(item)}
                    data-opens={onOpen ? '' : undefined}
                    onClick={onOpen && (() => onOpen(item))}
                  >
                    {columns.map(({ cell, numeric: number }, column) => (
                      <td key={column} className={number ? 'number' : ''}>
                        {cell(item)}
                      </td>
                    ))}
                  </tr>
                );
              })}
              {after > 0 && <tr aria-hidden style={{ height: after }} />}
            </tbody>
          </table>
        </div>
      )}
      <ListEnd {...props} count={items.length} lastPage={lastPage} />
    </Stack>
  );
}
