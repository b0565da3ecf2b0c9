import { BRAND, MARK } from '../../../src/platform/identity/brand.js';

const SIZES = { small: 22, large: 30 };

/** The product's mark and name. */
export function Wordmark({ size = 'small' }: { size?: keyof typeof SIZES }) {
  return (
    <span className="wordmark" data-large={size === 'large' || undefined}>
      <svg
        width={SIZES[size]}
        height={SIZES[size]}
        viewBox={`0 0 ${MARK.size} ${MARK.size}`}
        aria-hidden="true"
      >
        <rect width={MARK.size} height={MARK.size} rx={MARK.radius} fill={MARK.color} />
        <path
          d={MARK.check}
          fill="none"
          stroke={MARK.checkColor}
          strokeWidth={MARK.checkWidth}
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      {BRAND}
    </span>
  );
}
