import type { Configuration } from './configuration';

/** Each statement denies what its tag may store, ahead of the tag (docs/signals.md). */
const STATEMENTS = {
  microsoftUet: `window.uetq = window.uetq || [];
window.uetq.push('consent', 'default', { ad_storage: 'denied' });`,
  microsoftClarity: `window.clarity = window.clarity || function () { (window.clarity.q = window.clarity.q || []).push(arguments); };
window.clarity('consentv2', { ad_Storage: 'denied', analytics_Storage: 'denied' });`,
} as const;

/**
 * The code that a page needs before tags that read their default while they load; null: no such
 * signal is on.
 */
export function defaultSnippet(signals: Configuration['signals']): string | null {
  const statements = Object.entries(STATEMENTS).flatMap(([target, statement]) =>
    signals[target as keyof typeof STATEMENTS] ? [statement] : [],
  );
  return statements.length > 0 ? `<script>\n${statements.join('\n')}\n</script>` : null;
}
