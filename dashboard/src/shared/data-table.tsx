import type { ReactNode } from 'react';
import { columnClass } from './column-class';
import type { Column } from './infinite-table';
import { usePhone } from './use-phone';

/** A table that is short: all of its rows are drawn. */
export function DataTable<T>({
  label,
  items,
  columns: allColumns,
  phoneColumns,
  rowKey: idOf,
}: {
  label: string;
  items: T[];
  columns: Column<T>[];
  /** Fewer columns of two lines each, for a phone; absent: the same columns. */
  phoneColumns?: Column<T>[];
  rowKey: (item: T) => string;
}): ReactNode {
  const isPhone = usePhone() && phoneColumns !== undefined;
  const columns = (isPhone && phoneColumns) || allColumns;
  return (
    <div className="rows" data-two-lines={isPhone || undefined} role="group" aria-label={label} tabIndex={0}>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, numeric: number }, place) => (
              <th key={place} scope="col" className={number ? 'number' : ''}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={idOf(item)}>
              {columns.map(({ cell, ...column }, place) => (
                <td key={place} className={columnClass(column)}>
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
