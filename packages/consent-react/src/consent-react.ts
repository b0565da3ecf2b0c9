/** React components and hooks that follow the visitor's consent. */
export { ConsentFrame, type ConsentFrameProps } from './consent-frame.js';
export { ConsentProvider, type KnownChoice } from './consent-provider.js';
export { type ConsentService, useConsent } from './use-consent.js';
