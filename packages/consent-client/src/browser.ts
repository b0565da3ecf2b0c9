/** For pages: what is granted now, and the types of `window.serviceConsent` and `window.serviceMeta`. */
export {
  allowCategory,
  allowService,
  type Grants,
  isServiceAllowed,
  readGrants,
  submitChoice,
  watchGrants,
} from './grants.js';

export type Consent = ServiceConsent;
export type ConsentCategory = ServiceConsentCategory;
export type ConsentChoice = ServiceConsentChoice;
export type ConsentMeta = ServiceMeta;
export type ConsentReceipt = ServiceConsentReceipt;
export type ConsentSubmission = ServiceConsentSubmission;
