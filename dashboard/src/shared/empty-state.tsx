import type { ReactNode } from 'react';

/** A list without entries: a sentence on its future content, and the next action. */
export function EmptyState({ title, text, action }: { title: string; text?: string; action?: ReactNode }) {
  return (
    <div className="empty-state">
      <b>{title}</b>
      {text !== undefined && <p>{text}</p>}
      {action}
    </div>
  );
}
