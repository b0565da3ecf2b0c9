// Filled in by the build (scripts/build-loader.mjs) from the service's own constants, so that they cannot disagree.

/** `serviceMeta` and `serviceConsent`. */
declare const META_GLOBAL: string;
declare const CONSENT_GLOBAL: string;
declare const REGION_HEADER: string;
declare const UNKNOWN_REGION: string;
declare const EU_GROUP: string;
/** Of a project: put ahead of blocker.js when it is published (src/modules/publishing/domain/blocking.ts). */
declare const BLOCKING: {
  id: string;
  policyVersion: string;
  categories: string[];
  serviceIds: string[];
  reconsentMonths: number;
  rules: [pattern: string, name: string][];
  services?: [id: string, category: string][];
};
/** Of a project: put ahead of declaration.js when it is published (src/modules/publishing/domain/declaration.ts). */
declare const DECLARATIONS: {
  language: string;
  isRightToLeft: boolean;
  words: Record<
    | 'language'
    | 'cookie'
    | 'service'
    | 'purpose'
    | 'duration'
    | 'none'
    | 'yourChoice'
    | 'change'
    | 'alwaysOn'
    | 'on'
    | 'off',
    string
  >;
  categories: {
    key: string;
    title: string;
    description: string;
    rows: {
      service: string;
      provider: string;
      policyUrl: string | null;
      cookie: { name: string; purpose: string; duration: string } | null;
    }[];
  }[];
}[];
/** Whether the banner is the one for sites whose visitors choose by service; all others have nothing of it. */
declare const BY_SERVICE: boolean;
/** The banner's style sheet. */
declare const BANNER_CSS: string;
/** The style sheet of the banner's part for services. */
declare const SERVICES_CSS: string;
