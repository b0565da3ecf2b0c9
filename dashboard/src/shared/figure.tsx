import TrendingDown from 'lucide-react/icons/trending-down';
import TrendingUp from 'lucide-react/icons/trending-up';
import type { ReactNode } from 'react';
import { Sparkline } from './sparkline';
import type { Trend } from './trend';
import './figure.css';

/** The numbers that people open a page for, side by side. */
export function Figures({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section className="card figures" aria-label={label}>
      {children}
    </section>
  );
}

/** One number, large, with its change and a sentence that explains it. */
export function Figure(props: {
  title: string;
  value: ReactNode;
  trend?: Trend | null | undefined;
  note?: ReactNode;
  /** The course that led to the number; absent: none is drawn. */
  course?: readonly number[] | undefined;
  courseTone?: 'accent' | 'bad';
}) {
  const { title, value, trend, note, course = [], courseTone = 'accent' } = props;
  return (
    <div className="figure">
      <h2>{title}</h2>
      <p className="figure-value">
        <span>{value}</span>
        {trend && <Delta trend={trend} />}
      </p>
      <p className="figure-note">{note}</p>
      <Sparkline values={course} tone={courseTone} />
    </div>
  );
}

const ARROWS = { up: TrendingUp, down: TrendingDown, flat: null };

/** A change as a number with an arrow. */
export function Delta({ trend: { text, direction, tone } }: { trend: Trend }) {
  const Arrow = ARROWS[direction];
  return (
    <span className="delta" data-tone={tone}>
      {Arrow && <Arrow className="icon" aria-hidden />}
      {text}
    </span>
  );
}
