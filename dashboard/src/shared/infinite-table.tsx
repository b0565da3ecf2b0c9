import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { type ListQuery, useNextPage } from './list-query';
import { columnClass } from './column-class';
import { ROW_HEIGHT } from './skeleton-rows';
import { usePhone } from './use-phone';
import { ListEnd } from './list-end';

export interface Column<T> {
  title: string;
  /** Shown instead of the title. */
  header?: ReactNode;
  cell: (item: T) => ReactNode;
  numeric?: boolean;
  /** Gets the room that the other columns leave, and is cut there. */
  flexible?: boolean;
}

/** Drawn beyond the window, for a reader who scrolls. */
const OVERSCAN_ROWS = 6;
/** The next page is loaded when this many rows are left. */
const LOAD_AHEAD_ROWS = 12;
/** Two lines; the height in app.css. */
const PHONE_ROW_HEIGHT = 60;

/** A virtualized table that loads the next page before the reader reaches its end. */
export function InfiniteTable<T>(props: {
  label: string;
  query: ListQuery<T>;
  columns: Column<T>[];
  /** Fewer columns of two lines each, for a phone; absent: the same columns. */
  phoneColumns?: Column<T>[];
  rowKey: (item: T) => string;
  onOpen?: (item: T) => void;
  empty: ReactNode;
}) {
  const { query, rowKey, onOpen } = props;
  const isPhone = usePhone() && props.phoneColumns !== undefined;
  const columns = (isPhone && props.phoneColumns) || props.columns;
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useEffect(() => {
    const { current } = frame;
    if (!current) return;
    // Called after layout: reading the offset earlier would force a second layout.
    const observer = new ResizeObserver(() => setTop(current.offsetTop));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => (isPhone ? PHONE_ROW_HEIGHT : ROW_HEIGHT),
    overscan: OVERSCAN_ROWS,
    scrollMargin: top,
    // Rows have a fixed height, so scroll corrections are not needed. The default forces a layout on mount.
    scrollToFn: () => {},
  });
  const drawn = rows.getVirtualItems();
  const lastPage = query.data?.pages.at(-1);
  useNextPage(query, (drawn.at(-1)?.index ?? -1) >= items.length - LOAD_AHEAD_ROWS);
  const before = (drawn[0]?.start ?? top) - top;
  const after = rows.getTotalSize() - ((drawn.at(-1)?.end ?? top) - top);
  const openClicked = (event: MouseEvent) => {
    const clicked = (event.target as Element).closest('tr')?.dataset['row'];
    const item = items.find((one) => rowKey(one) === clicked);
    if (item) onOpen?.(item);
  };
  return (
    <div className="list" ref={frame}>
      {items.length > 0 && (
        <div
          className="rows"
          data-two-lines={isPhone || undefined}
          role="group"
          aria-label={props.label}
          tabIndex={0}
        >
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
            <tbody onClick={openClicked}>
              {before > 0 && <tr aria-hidden style={{ height: before }} />}
              {drawn.map(({ index }) => {
                const item = items[index];
                return item === undefined ? null : (
                  <Row
                    key={rowKey(item)}
                    id={rowKey(item)}
                    item={item}
                    columns={columns}
                    opens={onOpen !== undefined}
                  />
                );
              })}
              {after > 0 && <tr aria-hidden style={{ height: after }} />}
            </tbody>
          </table>
        </div>
      )}
      <div className="list-end">
        <ListEnd {...props} count={items.length} lastPage={lastPage} />
      </div>
    </div>
  );
}

interface RowProps<T> {
  id: string;
  item: T;
  columns: Column<T>[];
  opens: boolean;
}

/** Drawn again only where its item or the columns have changed, not with every answer to a poll. */
const Row = memo(function Row<T>({ id, item, columns, opens }: RowProps<T>) {
  return (
    <tr data-row={id} data-opens={opens ? '' : undefined}>
      {columns.map(({ cell, ...column }, place) => (
        <td key={place} className={columnClass(column)}>
          {cell(item)}
        </td>
      ))}
    </tr>
  );
}) as <T>(props: RowProps<T>) => ReactNode;
