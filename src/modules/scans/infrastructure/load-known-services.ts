import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KnownCookie, KnownServices } from '../domain/known-services.js';

/** Written by scripts/write-known-services.mjs; its sources and licenses are in the NOTICE beside it. */
const FILE = join(import.meta.dirname, 'known-data', 'services.json');

/** The rows of the file, as arrays. */
interface KnownData {
  /** Versions by the names of the packages that it was written from. */
  packages: Record<string, string>;
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

interface LoadedServices {
  services: KnownServices;
  packages: Record<string, string>;
}

let loaded: LoadedServices | null = null;

/** Read on first use: most processes never classify anything. */
export function knownServices(): KnownServices {
  return (loaded ??= load()).services;
}

/** Versions of the data, by the names of its packages. */
export function knownDataVersions(): Readonly<Record<string, string>> {
  return (loaded ??= load()).packages;
}

function load(): LoadedServices {
  const { packages, cookies, entities } = JSON.parse(readFileSync(FILE, 'utf8')) as KnownData;
  const services = new KnownServices(
    cookies.map(
      ([name, isPrefix, domains, category, platform, controller, purpose, duration, policyUrl]) => ({
        name,
        isPrefix: isPrefix === 1,
        domains,
        category,
        platform,
        controller,
        purpose,
        duration,
        policyUrl,
      }),
    ),
    entities.map(([name, company, category, domains]) => ({ name, company, category, domains })),
  );
  return { services, packages };
}
