import { readChoice } from './choice-cookie.js';

/** The current grants of the page, by category. */
export type Grants = Readonly<Record<ServiceConsentCategory, boolean>>;

const listeners = new Set<() => void>();

/**
 * The current grants: the visitor's choice, else the default in the visitor's region. null:
 * unknown, because the loader or its configuration has not loaded yet; treat that as "nothing is
 * granted".
 */
export function readGrants(): Grants | null {
  const serviceConsent = ownGlobal('serviceConsent');
  const serviceMeta = ownGlobal('serviceMeta');
  if (!serviceConsent) return null;
  if (serviceConsent.choice) return flagsOf(serviceConsent.choice);
  if (!serviceMeta) return null;
  // After a choice has expired, its refusals still apply until the visitor decides again
  // (docs/loader.md).
  const last = lastChoice(serviceMeta.projectId);
  const isGranted = (category: ServiceConsentCategory): boolean =>
    modeOf(serviceConsent, category) !== 'opt_in' &&
    !isSignalHonored(serviceConsent, serviceMeta, category) &&
    (last?.[category] ?? true);
  return {
    analytics: isGranted('analytics'),
    marketing: isGranted('marketing'),
    preferences: isGranted('preferences'),
  };
}

/** Loaders of older versions have one mode for all categories. */
function modeOf(
  { mode, modes }: Pick<ServiceConsent, 'mode' | 'modes'>,
  category: ServiceConsentCategory,
): string {
  return (modes as ServiceConsent['modes'] | undefined)?.[category] ?? mode;
}

/**
 * Whether the visitor allows a service, by its id, where visitors choose by service. null: unknown, as above. Services
 * that were not chosen one by one are unknown until our banner has loaded, too.
 */
export function isServiceAllowed(id: string): boolean | null {
  const serviceConsent = ownGlobal('serviceConsent');
  if (!serviceConsent) return null;
  // Absent in older loaders.
  const isAllowed = serviceConsent.isAllowed as ServiceConsent['isAllowed'] | undefined;
  if (isAllowed?.(id)) return true;
  const own = serviceConsent.choice?.services;
  if (own && Object.hasOwn(own, id)) return own[id] === true;
  return ownGlobal('serviceMeta') ? false : null;
}

/** Calls the listener whenever grants may have changed, also in another tab. Returns a function that stops it. */
export function watchGrants(listener: () => void): () => void {
  if (listeners.size === 0) listen();
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) unlisten();
  };
}

/**
 * Records a choice, as `serviceConsent.submit` does, and calls the listeners. Use it in a custom
 * banner: the loader has no event for its own `submit`.
 *
 * @throws Error before the loader has loaded.
 */
export async function submitChoice(submission: ServiceConsentSubmission): Promise<ServiceConsentReceipt> {
  const serviceConsent = ownGlobal('serviceConsent');
  if (!serviceConsent) throw new Error('The consent loader is not on this page, or has not run yet.');
  // The choice applies at once; the receipt takes a request.
  const receipt = serviceConsent.submit(submission);
  notify();
  return receipt;
}

/** Grants one more category and keeps the others, e.g. from the placeholder of a frame. */
export function allowCategory(category: ServiceConsentCategory): Promise<ServiceConsentReceipt> {
  return submitChoice({ ...readGrants(), [category]: true, ...withAllowed(category), ...placeholder() });
}

/** The same for a service, by its id, where visitors choose by service. */
export function allowService(id: string): Promise<ServiceConsentReceipt> {
  return submitChoice({ ...readGrants(), ...withAllowed(id), ...placeholder() });
}

function placeholder(): ServiceConsentSubmission {
  const language = document.documentElement.lang;
  return { surface: 'placeholder', ...(language !== '' && { language }) };
}

/** The choice by service after a category or service is allowed; empty where visitors do not choose by service. */
function withAllowed(name: string): ServiceConsentSubmission {
  const configuration = ownGlobal('serviceConsent')?.configuration as
    PublishedConfiguration | null | undefined;
  if (!configuration?.serviceChoice) return {};
  const listed = (configuration.services ?? []).filter(({ category }) => category !== 'necessary');
  const services = Object.fromEntries(
    listed.map(({ id, category }) => [id, [id, category].includes(name) || isServiceAllowed(id) === true]),
  );
  const flags = Object.fromEntries(
    listed.map(({ category }) => [
      category,
      listed.every((each) => each.category !== category || services[each.id]),
    ]),
  );
  // By its flags it would be a rejection.
  const isMixed = !Object.values({ ...readGrants(), ...flags }).includes(true);
  return { ...flags, services, ...(isMixed && { action: 'custom' }) };
}

/**
 * A global set by the loader, as opposed to an element with that id or name, which visitors may add
 * to a page.
 */
function ownGlobal<Name extends 'serviceConsent' | 'serviceMeta'>(name: Name): Window[Name] {
  return Object.hasOwn(window, name) ? window[name] : undefined;
}

function flagsOf(choice: Partial<Grants>): Grants {
  const { analytics, marketing, preferences } = choice;
  return { analytics: analytics === true, marketing: marketing === true, preferences: preferences === true };
}

/**
 * Whether the loader treats the browser's signal (GPC) as a refusal of this category. It records
 * that a moment later.
 */
function isSignalHonored(
  { configuration, mode, modes }: ServiceConsent,
  meta: ServiceMeta,
  category: ServiceConsentCategory,
): boolean {
  if (!('globalPrivacyControl' in navigator) || !navigator.globalPrivacyControl || !configuration)
    return false;
  const { honorGlobalPrivacyControl, banner } = configuration as unknown as PublishedConfiguration;
  if ((ruleOf(configuration, meta)?.honorGlobalPrivacyControl ?? honorGlobalPrivacyControl) !== true)
    return false;
  return banner?.enabled !== true || modeOf({ mode, modes }, category) !== 'opt_in';
}

interface PublishedRule {
  regions: string[];
  honorGlobalPrivacyControl?: boolean;
}

interface PublishedConfiguration {
  honorGlobalPrivacyControl?: boolean;
  banner?: { enabled?: boolean };
  regionRules?: PublishedRule[];
  serviceChoice?: boolean;
  services?: { id: string; category: string }[];
}

/** The rule of the visitor's region, selected like in the loader. */
function ruleOf(configuration: object, { region, isEu }: ServiceMeta): PublishedRule | undefined {
  const { regionRules = [] } = configuration as PublishedConfiguration;
  const names = [region, `${region}-`, region.slice(0, 2), ...(isEu ? ['EU'] : [])];
  return regionRules.find(({ regions }) => regions.some((name) => names.includes(name)));
}

/** The latest choice on this site, expired or not; also on another subdomain. */
function lastChoice(projectId: string): Grants | null {
  try {
    const text = localStorage.getItem(`serviceMeta:${projectId}:choice`) ?? 'null';
    const stored = JSON.parse(text) as (Partial<Grants> & { at?: number }) | null;
    const shared = readChoice(document.cookie);
    if (shared && shared.chosenAt.getTime() > (stored?.at ?? 0)) return flagsOf(shared);
    return stored && flagsOf(stored);
  } catch {
    // Storage or cookies are blocked, or contain something else.
    return null;
  }
}

function listen(): void {
  document.addEventListener('serviceMeta:ready', notifyLater);
  document.addEventListener('serviceConsent:choice', notify);
  document.addEventListener('serviceConsent:services', notify);
  window.addEventListener('storage', notify);
}

function unlisten(): void {
  document.removeEventListener('serviceMeta:ready', notifyLater);
  document.removeEventListener('serviceConsent:choice', notify);
  document.removeEventListener('serviceConsent:services', notify);
  window.removeEventListener('storage', notify);
}

/** The loader applies the stored choice right after the event, so this waits for its next turn. */
function notifyLater(): void {
  setTimeout(notify);
}

function notify(): void {
  for (const listener of listeners) listener();
}
