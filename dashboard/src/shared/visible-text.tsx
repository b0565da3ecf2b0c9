import { showHidden } from '../i18n/show-hidden';

/** A name that others chose: it reorders no text around it, and hides no character. */
export function VisibleText({ text }: { text: string }) {
  return <bdi>{showHidden(text)}</bdi>;
}
