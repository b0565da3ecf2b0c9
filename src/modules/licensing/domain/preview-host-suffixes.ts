/** The class of a platform's host names. */
export type PreviewHostClass =
  /** Always a preview host. */
  | 'staging'
  /** A preview host unless it is one of the project's own domains. */
  | 'free_subdomain';

/** A suffix of the host names that a website builder gives its customers. */
export interface PreviewHostSuffix {
  suffix: string;
  platform: string;
  class: PreviewHostClass;
  /** Whether the Public Suffix List contains it, see below. */
  publicSuffixList: boolean;
}

/**
 * Host names of website builders (design §6.2 step 1). A host matches that ends with "." + suffix;
 * the bare suffix itself is no preview host.
 *
 * Checked: Public Suffix List e8c9a2b2 (2026-08-19), private section, where `publicSuffixList` is
 * true; otherwise seen in public code or third-party lists, not verified with the vendor.
 */
export const PREVIEW_HOST_SUFFIXES: readonly PreviewHostSuffix[] = [
  { suffix: 'webflow.io', platform: 'Webflow', class: 'staging', publicSuffixList: true },
  { suffix: 'webflowtest.io', platform: 'Webflow', class: 'staging', publicSuffixList: true },
  { suffix: 'framer.app', platform: 'Framer', class: 'staging', publicSuffixList: true },
  { suffix: 'framer.website', platform: 'Framer', class: 'staging', publicSuffixList: true },
  { suffix: 'framer.ai', platform: 'Framer', class: 'staging', publicSuffixList: true },
  { suffix: 'framer.media', platform: 'Framer', class: 'staging', publicSuffixList: true },
  { suffix: 'framer.photos', platform: 'Framer', class: 'staging', publicSuffixList: true },
  { suffix: 'framer.wiki', platform: 'Framer', class: 'staging', publicSuffixList: true },
  { suffix: 'framercanvas.com', platform: 'Framer', class: 'staging', publicSuffixList: true },
  { suffix: 'wixsite.com', platform: 'Wix', class: 'staging', publicSuffixList: true },
  { suffix: 'wixstudio.com', platform: 'Wix', class: 'staging', publicSuffixList: true },
  { suffix: 'wixstudio.io', platform: 'Wix', class: 'staging', publicSuffixList: true },
  { suffix: 'editorx.io', platform: 'Wix', class: 'staging', publicSuffixList: true },
  { suffix: 'wix.run', platform: 'Wix', class: 'staging', publicSuffixList: true },
  { suffix: 'shopifypreview.com', platform: 'Shopify', class: 'staging', publicSuffixList: false },
  { suffix: 'wpcomstaging.com', platform: 'WordPress.com', class: 'staging', publicSuffixList: false },
  { suffix: 'lovableproject.com', platform: 'Lovable', class: 'staging', publicSuffixList: true },
  { suffix: 'base44-sandbox.com', platform: 'Base44', class: 'staging', publicSuffixList: true },
  { suffix: 'preview.emergentagent.com', platform: 'Emergent', class: 'staging', publicSuffixList: true },
  { suffix: 'aem.page', platform: 'Adobe', class: 'staging', publicSuffixList: true },
  { suffix: 'hlx.page', platform: 'Adobe', class: 'staging', publicSuffixList: true },
  { suffix: 'webstudio.is', platform: 'Webstudio', class: 'staging', publicSuffixList: false },
  { suffix: 'webwave.dev', platform: 'WebWave', class: 'staging', publicSuffixList: false },
  { suffix: 'squarespace.com', platform: 'Squarespace', class: 'free_subdomain', publicSuffixList: false },
  { suffix: 'myshopify.com', platform: 'Shopify', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'carrd.co', platform: 'Carrd', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'crd.co', platform: 'Carrd', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'ju.mp', platform: 'Carrd', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'uwu.ai', platform: 'Carrd', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'drr.ac', platform: 'Carrd', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'wordpress.com', platform: 'WordPress.com', class: 'free_subdomain', publicSuffixList: false },
  { suffix: 'weebly.com', platform: 'Weebly', class: 'free_subdomain', publicSuffixList: false },
  { suffix: 'weeblysite.com', platform: 'Weebly/Square', class: 'free_subdomain', publicSuffixList: false },
  { suffix: 'square.site', platform: 'Square', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'ghost.io', platform: 'Ghost', class: 'free_subdomain', publicSuffixList: false },
  { suffix: 'softr.app', platform: 'Softr', class: 'free_subdomain', publicSuffixList: false },
  { suffix: 'typedream.app', platform: 'Typedream', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'bubbleapps.io', platform: 'Bubble', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'lovable.app', platform: 'Lovable', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'lovable.run', platform: 'Lovable', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'lovable.sh', platform: 'Lovable', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'base44.app', platform: 'Base44', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'bolt.host', platform: 'Bolt', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'figma.site', platform: 'Figma', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'my.canva.site', platform: 'Canva', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'notion.site', platform: 'Notion', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'umso.co', platform: 'Umso', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'yolasite.com', platform: 'Yola', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'leadpages.co', platform: 'Leadpages', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'lpages.co', platform: 'Leadpages', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'godaddysites.com', platform: 'GoDaddy', class: 'free_subdomain', publicSuffixList: false },
  { suffix: 'mystrikingly.com', platform: 'Strikingly', class: 'free_subdomain', publicSuffixList: false },
  { suffix: 'jimdosite.com', platform: 'Jimdo', class: 'free_subdomain', publicSuffixList: false },
  { suffix: 'webnode.page', platform: 'Webnode', class: 'free_subdomain', publicSuffixList: false },
  { suffix: 'tilda.ws', platform: 'Tilda', class: 'free_subdomain', publicSuffixList: false },
  { suffix: 'site123.me', platform: 'Site123', class: 'free_subdomain', publicSuffixList: false },
  { suffix: 'glide.page', platform: 'Glide', class: 'free_subdomain', publicSuffixList: false },
  { suffix: 'multiscreensite.com', platform: 'Duda', class: 'free_subdomain', publicSuffixList: false },
  { suffix: 'elementor.cloud', platform: 'Elementor', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'emergent.host', platform: 'Emergent', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'aem.live', platform: 'Adobe', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'hlx.live', platform: 'Adobe', class: 'free_subdomain', publicSuffixList: true },
  { suffix: 'super.site', platform: 'Super', class: 'free_subdomain', publicSuffixList: false },
];
