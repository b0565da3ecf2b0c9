import { formatPercent } from './format';
import { VisuallyHidden } from './visually-hidden';

/** A dash in the place of a value, with the reason for readers who point at it or hear it. */
export function NoValue({ reason }: { reason: string }) {
  return (
    <span className="no-value" title={reason}>
      <span aria-hidden>–</span>
      <VisuallyHidden>{reason}</VisuallyHidden>
    </span>
  );
}

/** A share from 0 to 1 as a percentage, or a dash with the reason why there is none. */
export function Percent({ share, reason }: { share: number | null; reason: string }) {
  return share === null ? <NoValue reason={reason} /> : formatPercent(share);
}
