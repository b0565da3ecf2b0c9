'use client';

import { allowCategory, allowService, type ConsentCategory } from '@service/consent-client';
import type { ComponentPropsWithoutRef, CSSProperties, ReactNode } from 'react';
import { useConsent } from './use-consent.js';

export interface ConsentFrameProps extends Omit<ComponentPropsWithoutRef<'iframe'>, 'srcDoc'> {
  /** The category that the visitor must allow. */
  category: ConsentCategory;
  /** Id of the service that the visitor must allow, where visitors choose by service. */
  service?: string;
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

/** The words and the look of the placeholders of our banner. */
const TITLES: Record<ConsentCategory, string> = {
  analytics: 'Analytics',
  marketing: 'Marketing',
  preferences: 'Preferences',
};
const BOX: CSSProperties = {
  display: 'flex',
  flexDirection: 'column',
  gap: '0.6em',
  alignItems: 'center',
  justifyContent: 'center',
  boxSizing: 'border-box',
  maxWidth: '100%',
  padding: '1em',
  border: '1px solid light-dark(#e5e8ec, #343d47)',
  borderRadius: 10,
  background: 'light-dark(#fff, #1b2027)',
  color: 'light-dark(#444c58, #b4bdca)',
  textAlign: 'center',
  overflowWrap: 'anywhere',
};
const LINE: CSSProperties = { margin: 0 };
const TITLE: CSSProperties = { display: 'block', color: 'light-dark(#15181d, #eceff4)' };
const BUTTON: CSSProperties = {
  minHeight: 28,
  padding: '0.2em 0.7em',
  border: '1px solid light-dark(#8a93a0, #7b8594)',
  borderRadius: 7,
  background: 'none',
  color: 'light-dark(#15181d, #eceff4)',
  font: 'inherit',
  fontWeight: 550,
  cursor: 'pointer',
};

/**
 * A frame that is in the page only while the visitor allows its category. Until then a placeholder
 * is shown, which can allow it; a withdrawal removes the frame.
 */
export function ConsentFrame({
  category,
  service,
  src,
  title,
  text = `This content needs your consent to “${TITLES[category]}”.`,
  buttonLabel = `Allow ${TITLES[category]}`,
  placeholder,
  ...frame
}: ConsentFrameProps): ReactNode {
  const isAllowed = useConsent(service === undefined ? category : { service, category });
  if (isAllowed) return <iframe {...frame} src={src} title={title} />;
  // Without the loader, nothing can be allowed.
  const allow = (): void => {
    const chosen = service === undefined ? allowCategory(category) : allowService(service);
    void chosen.catch(() => {});
  };
  if (placeholder) return placeholder(allow);
  const { className, style, width, height, id } = frame;
  const size = { width: width === undefined ? undefined : px(width), minHeight: height && px(height) };
  return (
    <div
      id={id}
      role="group"
      aria-label={title}
      className={className ?? 'consent-frame-placeholder'}
      style={{ ...(className === undefined && BOX), ...size, ...style }}
    >
      <p style={LINE}>
        <b style={TITLE}>{title}</b>
        {text}
      </p>
      <button type="button" style={className === undefined ? BUTTON : undefined} onClick={allow}>
        {buttonLabel}
      </button>
    </div>
  );
}

/** A length in the format of frame attributes: pixels, unless it has a unit. */
function px(length: string | number): string {
  return /^\d+$/.test(String(length)) ? `${length}px` : String(length);
}
