import Check from 'lucide-react/icons/check';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import { t } from '../../i18n/i18n';
import type { Mark } from './finding-groups';

const SHAPES: Record<Mark, ReactNode> = {
  settled: <X aria-hidden />,
  arguable: <TriangleAlert aria-hidden />,
  open: '?',
  allowed: <Check aria-hidden />,
  absent: null,
  untested: null,
};

/** The result of an item in a state. An untested state has no shape. */
export function StateMark({ mark }: { mark: Mark }) {
  const word = t(`findings.marks.${mark}`);
  return (
    <span className="mark" data-mark={mark} role="img" aria-label={word} title={word}>
      {SHAPES[mark]}
    </span>
  );
}
