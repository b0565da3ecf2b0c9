import type { IncomingMessage, ServerResponse } from 'node:http';

/** Addresses of the farm's hosts, e.g. `https('ads.example', '/pixel')`. */
export interface FarmAddresses {
  https(host: string, path?: string): string;
  http(host: string, path?: string): string;
  /** `host:port`, as items name it. */
  host(name: string): string;
  /** The tag of the project's loader, which verifies a host. */
  loaderTag: string;
}

export type Route = (request: IncomingMessage, response: ServerResponse, farm: FarmAddresses) => void;

/** An item that the scan must list. */
export interface ExpectedItem {
  kind: string;
  name: string;
  host: string;
  [detail: string]: unknown;
}

/** One way in which pages store or send something, and the expected result of a scan. */
interface Technique {
  /** The two cells of its row in README.md. */
  name: string;
  found: string;
  /** The content of its page. */
  html: (farm: FarmAddresses) => string;
  /** `Set-Cookie` of its page. */
  cookies?: string[];
  truth: (farm: FarmAddresses) => ExpectedItem[];
  /** Names of items that the scan must not list, because nothing happens without a visitor. */
  absent?: string[];
}

/** Techniques that share a page. */
export interface TechniqueGroup {
  /** Path of the page on the main site. */
  path: string;
  techniques: Technique[];
  /** Files that the page loads, by path, on every host. */
  routes?: Record<string, Route>;
}

/** The farm's main site. */
export const MAIN = 'www.farm.example';

export const text = (response: ServerResponse, type: string, content: string): void => {
  response.setHeader('content-type', type);
  response.end(content);
};

/** A third party's cookie, which browsers store only like this. */
export const crossSite = (name: string): string => `${name}=1; Max-Age=86400; Secure; SameSite=None; Path=/`;
