/** Pages of the documentation, in the repository that package.json names. */
const DOCS = 'https://github.com/consent-service/consent-service/blob/main/docs';
export const SIGNAL_DOCS = `${DOCS}/signals.md`;
export const REGION_DOCS = `${DOCS}/publishing.md#the-visitors-region`;
