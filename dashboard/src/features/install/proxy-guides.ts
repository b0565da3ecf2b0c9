/** Placeholder in docs/first-party/* for the service's host. */
const HOST = 'consent.example.com';

export interface ProxyGuide {
  title: string;
  text: string;
}

/** The guides of docs/first-party, which the service's tests follow, loaded when they are opened. */
export async function loadGuides(): Promise<ProxyGuide[]> {
  const guides = await Promise.all([
    import('../../../../docs/first-party/nginx.conf?raw'),
    import('../../../../docs/first-party/Caddyfile?raw'),
    import('../../../../docs/first-party/apache.conf?raw'),
    import('../../../../docs/first-party/haproxy.cfg?raw'),
    import('../../../../docs/first-party/express.js?raw'),
    import('../../../../docs/first-party/cloudflare-worker.js?raw'),
    import('../../../../docs/first-party/next.js?raw'),
    import('../../../../docs/first-party/netlify.toml?raw'),
    import('../../../../docs/first-party/wordpress.php?raw'),
  ]);
  return TITLES.map((title, at) => ({ title, text: guides[at]?.default ?? '' }));
}

const TITLES = [
  'nginx',
  'Caddy',
  'Apache',
  'HAProxy',
  'Express',
  'Cloudflare Worker',
  'Next.js',
  'Netlify',
  'WordPress',
];

/** A guide with the project's values; without a secret, its placeholder stays. */
export function fillGuide(
  text: string,
  { projectId, secret, host }: { projectId: string; secret: string | null; host: string },
): string {
  const filled = text.replaceAll('<projectId>', projectId).replaceAll(HOST, host);
  return secret === null ? filled : filled.replaceAll('<secret>', secret);
}
