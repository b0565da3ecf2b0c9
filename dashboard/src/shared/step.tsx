import Check from 'lucide-react/icons/check';
import Clock from 'lucide-react/icons/clock';
import Minus from 'lucide-react/icons/minus';
import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import { locale } from '../i18n/i18n';
import type { Status } from './status-label';
import './step.css';
import { absoluteTime, clockTime } from './time';
import { useZone } from './zone';

const ICONS = { good: Check, bad: X, waiting: Clock, off: Minus };

/** Something that happened to a record, or is to happen. */
export function Step({
  status,
  title,
  at,
  children,
}: {
  status: Status;
  title: string;
  /** When it happened; absent: that is not known, or still to come. */
  at?: string;
  children: ReactNode;
}) {
  const { zone, now } = useZone();
  const Icon = ICONS[status];
  return (
    <li className="step">
      <span className="step-dot" data-status={status}>
        <Icon aria-hidden />
      </span>
      <div className="step-text">
        <b>{title}</b>
        <div>{children}</div>
      </div>
      {at !== undefined && (
        <time dateTime={at} title={absoluteTime(new Date(at), zone, locale)}>
          {clockTime(new Date(at), { zone, now, language: locale, withSeconds: true })}
        </time>
      )}
    </li>
  );
}
