import { showHidden } from '../i18n/show-hidden';
import { VisibleText } from './visible-text';

/** A possibly long name or address in a table, cut to leave room for the other columns. */
export function TruncatedText({ text, width = 'narrow' }: { text: string; width?: 'narrow' | 'brief' }) {
  return (
    <span className={`sentence-cell ${width}`} title={showHidden(text)}>
      <VisibleText text={text} />
    </span>
  );
}
