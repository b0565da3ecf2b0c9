/** The page about signals, in the repository that package.json names. */
export const SIGNAL_DOCS = 'https://github.com/consent-service/consent-service/blob/main/docs/signals.md';
