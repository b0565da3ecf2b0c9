'use client';

import { allowCategory, type ConsentCategory } from '@service/consent-client';
import type { ComponentPropsWithoutRef, ReactNode } from 'react';
import { useConsent } from './use-consent.js';

export interface ConsentFrameProps extends Omit<ComponentPropsWithoutRef<'iframe'>, 'srcDoc'> {
  /** The category that the visitor must allow. */
  category: ConsentCategory;
  src: string;
  /** Names the frame for assistive technology, and its placeholder. */
  title: string;
  /** The sentence of the placeholder, in the page's language. */
  text?: string;
  /** The label of the placeholder's button, in the page's language. */
  buttonLabel?: string;
  /** Replaces the placeholder. Call `allow` only in response to a click. */
  placeholder?: (allow: () => void) => ReactNode;
}

/**
 * A frame that is in the page only while the visitor allows its category. Until then a placeholder
 * is shown, which can allow it; a withdrawal removes the frame.
 */
export function ConsentFrame({
  category,
  src,
  title,
  text = 'This content comes from another provider and needs your consent.',
  buttonLabel = `Allow and show: ${title}`,
  placeholder,
  ...frame
}: ConsentFrameProps): ReactNode {
  const isAllowed = useConsent(category);
  if (isAllowed) return <iframe {...frame} src={src} title={title} />;
  // Without the loader, nothing can be allowed.
  const allow = (): void => void allowCategory(category).catch(() => {});
  if (placeholder) return placeholder(allow);
  const { className, style, width, height, id } = frame;
  const size = { width: width === undefined ? undefined : px(width), minHeight: height && px(height) };
  return (
    <div
      id={id}
      role="group"
      aria-label={title}
      className={className ?? 'consent-frame-placeholder'}
      style={{ ...size, ...style }}
    >
      <p>{text}</p>
      <button type="button" onClick={allow}>
        {buttonLabel}
      </button>
    </div>
  );
}

/** A length in the format of frame attributes: pixels, unless it has a unit. */
function px(length: string | number): string {
  return /^\d+$/.test(String(length)) ? `${length}px` : String(length);
}
