import type { IncomingMessage } from 'node:http';

/** A visitor's choice, for the cookie on the site's host. */
export interface FirstPartyChoice {
  analytics: boolean;
  marketing: boolean;
  preferences: boolean;
  at: Date;
  policyVersion: string | null;
  /** Whether each service was accepted, by its id; null: the choice was not made by service. */
  services: Record<string, boolean> | null;
}

/**
 * A request through a customer's own host (docs/first-party.md), with the trusted facts about it.
 */
export interface FirstParty {
  projectId: string;
  /** Whether it has the project's proxy secret. Otherwise the members below are unknown. */
  isProven: boolean;
  /** Host name that the visitor's browser requested. */
  host: string | null;
  /** Path before the service's own, such as `/consent`; empty: none, or unknown. */
  prefix: string;
  /** The visitor's address; null: use the proxy's address. */
  address: string | null;
  /** Headers with the visitor's country and its subdivision, as sent by an edge. */
  country: string | undefined;
  subdivision: string | undefined;
  /** Values of `Set-Cookie` that store the choice on the site's host; null deletes it. */
  choiceCookies(choice: FirstPartyChoice | null): string[];
}

const byRequest = new WeakMap<IncomingMessage, FirstParty>();

/** Undefined for a request to the service's own host. */
export const firstPartyOf = (request: IncomingMessage): FirstParty | undefined => byRequest.get(request);

/**
 * `Set-Cookie` headers for a choice, name and value alternating; none for a request to the
 * service's own host.
 */
export function choiceCookieHeaders(request: IncomingMessage, choice: FirstPartyChoice | null): string[] {
  return (firstPartyOf(request)?.choiceCookies(choice) ?? []).flatMap((cookie) => ['Set-Cookie', cookie]);
}

export function setFirstParty(request: IncomingMessage, firstParty: FirstParty): void {
  byRequest.set(request, firstParty);
}

const boundProjects = new WeakMap<IncomingMessage, string>();

/** Marks a request over a custom domain, which serves only this project. */
export function bindProject(request: IncomingMessage, projectId: string): void {
  boundProjects.set(request, projectId);
}

export const isBound = (request: IncomingMessage): boolean => boundProjects.has(request);

/** Whether the body of a request names another project than its host serves. */
export function isOfOtherProject(request: IncomingMessage, projectId: string): boolean {
  const bound = boundProjects.get(request) ?? firstPartyOf(request)?.projectId;
  return bound !== undefined && bound !== projectId.toLowerCase();
}
