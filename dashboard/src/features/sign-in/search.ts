/** The search parameters of sign-in and sign-up: where to continue afterwards. */
export function returnSearch(search: Record<string, unknown>): { to?: string } {
  const { to } = search;
  // Only paths of this site: `//elsewhere.example` is another one.
  return typeof to === 'string' && /^\/(?![/\\])/.test(to) ? { to } : {};
}

/** Why the demo's sign-in link, which works once, did not sign in: it was used or is unknown, or the sign-in failed. */
export function demoLinkSearch({ demoLink }: Record<string, unknown>): { demoLink?: 'used' | 'failed' } {
  return demoLink === 'used' || demoLink === 'failed' ? { demoLink } : {};
}

/** The search parameters of a link in an email. */
export function tokenSearch({ token }: Record<string, unknown>): { token?: string } {
  return typeof token === 'string' && token !== '' ? { token } : {};
}
