import type { IncomingMessage } from 'node:http';

/** A visitor's choice, for the cookie on the site's host. */
export interface FirstPartyChoice {
  analytics: boolean;
  marketing: boolean;
  preferences: boolean;
  at: Date;
  policyVersion: string | null;
}

/** A request that came through a customer's own host (docs/first-party.md), with what the service believes of it. */
export interface FirstParty {
  projectId: string;
  /** Whether it carried the project's proxy secret. Otherwise nothing below is known. */
  isProven: boolean;
  /** Host name that the visitor's browser asked. */
  host: string | null;
  /** Path ahead of the service's own, such as `/consent`; empty: none, or not known. */
  prefix: string;
  /** The visitor's address; null: the address of the proxy counts. */
  address: string | null;
  /** Headers with the visitor's country and its subdivision, as an edge sends them. */
  country: string | undefined;
  subdivision: string | undefined;
  /** Values of `Set-Cookie` that store the choice on the site's host; null deletes it. */
  choiceCookies(choice: FirstPartyChoice | null): string[];
}

const byRequest = new WeakMap<IncomingMessage, FirstParty>();

/** Undefined for a request to the service's own host. */
export const firstPartyOf = (request: IncomingMessage): FirstParty | undefined => byRequest.get(request);

/** `Set-Cookie` headers for a choice, name and value in turn; none for a request to the service's own host. */
export function choiceCookieHeaders(request: IncomingMessage, choice: FirstPartyChoice | null): string[] {
  return (firstPartyOf(request)?.choiceCookies(choice) ?? []).flatMap((cookie) => ['Set-Cookie', cookie]);
}

export function setFirstParty(request: IncomingMessage, firstParty: FirstParty): void {
  byRequest.set(request, firstParty);
}

const boundProjects = new WeakMap<IncomingMessage, string>();

/** The request came over a custom domain, which serves this project alone. */
export function bindProject(request: IncomingMessage, projectId: string): void {
  boundProjects.set(request, projectId);
}

/** Whether the request came over a custom domain. */
export const isBound = (request: IncomingMessage): boolean => boundProjects.has(request);

/** Whether the host of a request serves another project than the one that its body names. */
export function isOfOtherProject(request: IncomingMessage, projectId: string): boolean {
  const bound = boundProjects.get(request) ?? firstPartyOf(request)?.projectId;
  return bound !== undefined && bound !== projectId.toLowerCase();
}
