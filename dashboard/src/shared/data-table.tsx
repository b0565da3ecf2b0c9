import type { ReactNode } from 'react';
import type { Column } from './infinite-table';

/** A table that is short: all of its rows are drawn. */
export function DataTable<T>({
  label,
  items,
  columns,
  rowKey: idOf,
}: {
  label: string;
  items: T[];
  columns: Column<T>[];
  rowKey: (item: T) => string;
}): ReactNode {
  return (
    <div className="rows" role="group" aria-label={label} tabIndex={0}>
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
              {columns.map(({ cell, numeric: number }, place) => (
                <td key={place} className={number ? 'number' : ''}>
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
