import type { ReactNode } from 'react';

export type Status = 'good' | 'bad' | 'waiting' | 'off';

const SHAPES: Record<Status, ReactNode> = {
  good: <path d="M2 6.5l3 3 5-7" fill="none" stroke="currentColor" strokeWidth="2" />,
  bad: <path d="M6 1l5.5 10h-11z" fill="currentColor" />,
  waiting: <circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" strokeWidth="2" />,
  off: <path d="M2 6h8" stroke="currentColor" strokeWidth="2" />,
};

const COLORS: Record<Status, string> = {
  good: 'var(--good)',
  bad: 'var(--bad)',
  waiting: 'var(--waiting)',
  off: 'var(--mantine-color-dimmed)',
};

/** A state as a word and a shape, never only as a color. */
export function StatusLabel({ status: is, children }: { status: Status; children: ReactNode }) {
  return (
    <span className="state" style={{ color: COLORS[is] }}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        {SHAPES[is]}
      </svg>
      {children}
    </span>
  );
}
