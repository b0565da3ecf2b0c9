import TriangleAlert from 'lucide-react/icons/triangle-alert';
import type { ReactNode } from 'react';

/** Something that needs attention, ahead of everything else on a page, with the action that helps at its end. */
export function Notice({
  action,
  children,
  ...data
}: {
  action?: ReactNode;
  children: ReactNode;
  'data-undelivered'?: number;
}) {
  return (
    <div className="notice" role="note" {...data}>
      <TriangleAlert className="icon" aria-hidden />
      <div className="notice-text">{children}</div>
      {action}
    </div>
  );
}
