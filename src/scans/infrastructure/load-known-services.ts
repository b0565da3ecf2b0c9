import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KnownCookie, KnownServices } from '../domain/known-services.js';

/** Written by scripts/write-known-services.mjs; its sources and licenses are in the NOTICE beside it. */
const FILE = join(import.meta.dirname, 'known-data', 'services.json');

/** The rows of the file, as arrays. */
interface KnownData {
  cookies: [
    name: string,
    isPrefix: 0 | 1,
    domains: string[],
    category: KnownCookie['category'],
    platform: string,
    controller: string,
    purpose: string,
    duration: string,
    policyUrl: string,
  ][];
  entities: [name: string, company: string, category: string, domains: string[]][];
}

let loaded: KnownServices | null = null;

/** Read on first use: most processes never classify anything. */
export function knownServices(): KnownServices {
  return (loaded ??= load());
}

function load(): KnownServices {
  const { cookies, entities } = JSON.parse(readFileSync(FILE, 'utf8')) as KnownData;
  return new KnownServices(
    cookies.map(
      ([name, isPrefix, domains, category, platform, controller, purpose, duration, policyUrl]) => ({
        ...{
          name,
          isPrefix: isPrefix === 1,
          domains,
          category,
          platform,
          controller,
          purpose,
          duration,
          policyUrl,
        },
      }),
    ),
    entities.map(([name, company, category, domains]) => ({ name, company, category, domains })),
  );
}
