/**
 * The globals that loader.js sets (docs/loader.md), for TypeScript. Copy this file into your project, beside your own
 * declarations.
 */
interface ServiceMeta {
  readonly tier: 'lite' | 'pro' | 'business' | 'enterprise';
  /** ISO 3166-1 alpha-2 or ISO 3166-2; `XX`: unknown. */
  readonly region: string;
  readonly isEu: boolean;
  readonly domain: string;
  readonly projectId: string;
  /** SHA-256 of the configuration in use, in hex; empty without one. */
  readonly configHash: string;
  readonly features: Readonly<Record<string, unknown>>;
}

type ServiceConsentMode = 'opt_in' | 'opt_out' | 'notice' | 'none';

type ServiceConsentCategory = 'analytics' | 'marketing' | 'preferences';

interface ServiceConsentSubmission {
  analytics?: boolean;
  marketing?: boolean;
  preferences?: boolean;
  /** Absent: `accept_all`, `reject_all` or `custom`, by the flags. */
  action?: string;
  /** What your banner offered, where that is less than the configuration's categories; it is not sent. */
  offered?: readonly ServiceConsentCategory[];
  /** BCP 47: the language that was shown. */
  language?: string;
  /**
   * Whether each service is granted, by its id, where your visitors choose by service. A category is true only if all
   * of its services are; pass `action: 'custom'` if only some services of no whole category are.
   */
  services?: Readonly<Record<string, boolean>>;
  surface?: 'banner' | 'preferences' | 'link' | 'placeholder' | 'signal' | 'api';
  /** Of the key that the visitor's device keeps (docs/visitors.md), 76 hexadecimal digits. Never the key itself. */
  visitorKeyHash?: string;
  /** Kept with the record as an additional field. */
  [field: string]: unknown;
}

interface ServiceConsentReceipt {
  /** The record's id; null: the choice was invalid. */
  readonly id: string | null;
  /** false with status 0: the service is away, the choice waits in the browser. */
  readonly stored: boolean;
  readonly status?: number;
  readonly detail?: string;
}

interface ServiceConsentChoice {
  readonly analytics: boolean;
  readonly marketing: boolean;
  readonly preferences: boolean;
  /** Only of a choice that was made by service. */
  readonly services?: Readonly<Record<string, boolean>>;
  readonly id?: string;
  readonly action?: string;
  /** Milliseconds since 1970. */
  readonly at?: number;
}

interface ServiceConsent {
  /** Never rejects. */
  submit(submission: ServiceConsentSubmission): Promise<ServiceConsentReceipt>;
  readonly ready: Promise<ServiceMeta>;
  /** Opens our own banner's second layer; does nothing if the site has its own banner. */
  open(): Promise<void>;
  /** Runs scripts and frames that were added to the page and whose category is granted. */
  rescan(): void;
  /**
   * Whether a category or service (by its id) may run now. Services that the visitor did not choose one by one are
   * false until our banner has loaded.
   */
  isAllowed(name: string): boolean;
  /**
   * The published configuration; null before `ready`, and if it could not be loaded. With our own banner, it may have
   * only the texts of the default language.
   */
  readonly configuration: Readonly<Record<string, unknown>> | null;
  /** null: none yet, or it has expired. */
  readonly choice: ServiceConsentChoice | null;
  /** What applies without a choice; the strictest of all categories. */
  readonly mode: ServiceConsentMode;
  /** The same for each category. */
  readonly modes: Readonly<Record<ServiceConsentCategory, ServiceConsentMode>>;
}

interface Window {
  readonly serviceMeta?: ServiceMeta;
  readonly serviceConsent?: ServiceConsent;
}

interface DocumentEventMap {
  'serviceMeta:ready': CustomEvent<ServiceMeta>;
  /** Where visitors choose by service: the services granted now, by id; at first and after each choice. */
  'serviceConsent:services': CustomEvent<Readonly<Record<string, boolean>>>;
  'serviceConsent:choice': CustomEvent<ServiceConsentReceipt & { readonly tookMs: number }>;
}
