import type { Target } from './target.js';
import { dataLayer } from './targets/data-layer.js';
import { metaPixel } from './targets/meta-pixel.js';
import { microsoftClarity } from './targets/microsoft-clarity.js';
import { microsoftUet } from './targets/microsoft-uet.js';
import { shopify } from './targets/shopify.js';
import { tiktokPixel } from './targets/tiktok-pixel.js';
import { wpConsentApi } from './targets/wp-consent-api.js';

/** By the names in the published document (src/modules/publishing/domain/signals.ts). */
export const TARGETS: Record<string, Target> = {
  microsoftUet,
  microsoftClarity,
  metaPixel,
  tiktokPixel,
  wpConsentApi,
  shopify,
  dataLayer,
};
