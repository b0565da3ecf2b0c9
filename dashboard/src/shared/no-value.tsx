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
