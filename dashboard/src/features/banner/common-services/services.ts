import type { BlockingRule, SiteService } from '../configuration';
import type { Lifetime, Purpose } from './words';

/** A service that many sites use. Facts about it, each from `source`; the owner may change all of it. */
export interface CommonService {
  name: string;
  provider: string;
  category: SiteService['category'];
  policyUrl: string;
  /** Where the provider documents its cookies. */
  source: string;
  cookies: { name: string; lifetime: Lifetime; purpose: Purpose }[];
  /** Requests that wait for consent. */
  hosts: Pick<BlockingRule, 'host' | 'path'>[];
}

const GOOGLE = { provider: 'Google', policyUrl: 'https://policies.google.com/privacy' };
const MICROSOFT = { provider: 'Microsoft', policyUrl: 'https://privacy.microsoft.com/privacystatement' };
const GOOGLE_COOKIES = 'https://policies.google.com/technologies/cookies';

const host = (name: string, path: string | null = null) => ({ host: name, path });

export const COMMON_SERVICES: CommonService[] = [
  {
    ...GOOGLE,
    name: 'Google Ads',
    category: 'marketing',
    source: 'https://business.safety.google/adscookies/',
    cookies: [{ name: '_gcl_au', lifetime: [90, 'day'], purpose: 'attribution' }],
    hosts: [host('googleadservices.com'), host('doubleclick.net')],
  },
  {
    ...GOOGLE,
    name: 'Google Analytics',
    category: 'analytics',
    source: 'https://support.google.com/analytics/answer/11397207',
    cookies: [
      { name: '_ga', lifetime: [2, 'year'], purpose: 'visitor' },
      { name: '_ga_*', lifetime: [2, 'year'], purpose: 'session' },
    ],
    hosts: [
      host('googletagmanager.com', '/gtag/'),
      host('google-analytics.com'),
      host('analytics.google.com'),
    ],
  },
  {
    ...GOOGLE,
    name: 'Google Maps',
    category: 'preferences',
    source: GOOGLE_COOKIES,
    cookies: [{ name: 'NID', lifetime: [6, 'month'], purpose: 'preferences' }],
    hosts: [host('google.com', '/maps'), host('maps.google.com'), host('maps.googleapis.com')],
  },
  {
    ...GOOGLE,
    name: 'Google Tag Manager',
    category: 'analytics',
    source: 'https://developers.google.com/tag-platform/security/guides/csp',
    cookies: [],
    hosts: [host('googletagmanager.com', '/gtm.js'), host('googletagmanager.com', '/ns.html')],
  },
  {
    name: 'Hotjar',
    provider: 'Hotjar',
    category: 'analytics',
    policyUrl: 'https://www.hotjar.com/legal/policies/privacy/',
    source: 'https://help.hotjar.com/hc/en-us/articles/6952777582999-Cookies-Set-by-the-Hotjar-Tracking-Code',
    cookies: [
      { name: '_hjSessionUser_*', lifetime: [365, 'day'], purpose: 'visitor' },
      { name: '_hjSession_*', lifetime: [30, 'minute'], purpose: 'session' },
    ],
    hosts: [host('hotjar.com')],
  },
  {
    name: 'LinkedIn Insight Tag',
    provider: 'LinkedIn',
    category: 'marketing',
    policyUrl: 'https://www.linkedin.com/legal/privacy-policy',
    source: 'https://www.linkedin.com/legal/l/cookie-table',
    cookies: [
      { name: 'bcookie', lifetime: [1, 'year'], purpose: 'advertising' },
      { name: 'li_sugr', lifetime: [90, 'day'], purpose: 'advertising' },
      { name: 'lidc', lifetime: [24, 'hour'], purpose: 'routing' },
      { name: 'UserMatchHistory', lifetime: [30, 'day'], purpose: 'advertising' },
    ],
    hosts: [host('snap.licdn.com'), host('px.ads.linkedin.com')],
  },
  {
    name: 'Matomo Cloud',
    provider: 'InnoCraft',
    category: 'analytics',
    policyUrl: 'https://matomo.org/privacy-policy/',
    source: 'https://matomo.org/faq/general/faq_146/',
    cookies: [
      { name: '_pk_id*', lifetime: [13, 'month'], purpose: 'visitor' },
      { name: '_pk_ref*', lifetime: [6, 'month'], purpose: 'attribution' },
      { name: '_pk_ses*', lifetime: [30, 'minute'], purpose: 'session' },
    ],
    hosts: [host('matomo.cloud')],
  },
  {
    name: 'Meta Pixel',
    provider: 'Meta',
    category: 'marketing',
    policyUrl: 'https://www.facebook.com/privacy/policy',
    source: 'https://www.facebook.com/privacy/policies/cookies/',
    cookies: [
      { name: '_fbc', lifetime: [90, 'day'], purpose: 'attribution' },
      { name: '_fbp', lifetime: [90, 'day'], purpose: 'advertising' },
    ],
    hosts: [host('connect.facebook.net'), host('facebook.com', '/tr')],
  },
  {
    ...MICROSOFT,
    name: 'Microsoft Advertising',
    category: 'marketing',
    source: 'https://help.ads.microsoft.com/apex/index/3/en/53056',
    cookies: [
      { name: '_uetsid', lifetime: [1, 'day'], purpose: 'attribution' },
      { name: '_uetvid', lifetime: [13, 'month'], purpose: 'advertising' },
    ],
    hosts: [host('bat.bing.com')],
  },
  {
    ...MICROSOFT,
    name: 'Microsoft Clarity',
    category: 'analytics',
    source: 'https://learn.microsoft.com/en-us/clarity/setup-and-installation/cookie-list',
    cookies: [
      { name: '_clck', lifetime: [1, 'year'], purpose: 'visitor' },
      { name: '_clsk', lifetime: [1, 'day'], purpose: 'session' },
    ],
    hosts: [host('clarity.ms')],
  },
  {
    name: 'Stripe',
    provider: 'Stripe',
    category: 'necessary',
    policyUrl: 'https://stripe.com/privacy',
    source: 'https://stripe.com/legal/cookies-policy',
    cookies: [
      { name: '__stripe_mid', lifetime: [1, 'year'], purpose: 'fraud' },
      { name: '__stripe_sid', lifetime: [30, 'minute'], purpose: 'fraud' },
    ],
    hosts: [],
  },
  {
    name: 'Vimeo',
    provider: 'Vimeo',
    category: 'analytics',
    policyUrl: 'https://vimeo.com/privacy',
    source: 'https://help.vimeo.com/hc/en-us/articles/26080940921361',
    cookies: [
      { name: 'player', lifetime: [1, 'year'], purpose: 'preferences' },
      { name: 'vuid', lifetime: [2, 'year'], purpose: 'visitor' },
    ],
    hosts: [host('player.vimeo.com')],
  },
  {
    ...GOOGLE,
    name: 'YouTube',
    category: 'marketing',
    source: GOOGLE_COOKIES,
    cookies: [
      { name: 'VISITOR_INFO1_LIVE', lifetime: [6, 'month'], purpose: 'preferences' },
      { name: 'YSC', lifetime: 'session', purpose: 'fraud' },
    ],
    hosts: [host('youtube.com'), host('youtube-nocookie.com')],
  },
];
