/** The search parameters of sign-in and sign-up: where to continue afterwards. */
export function returnSearch(search: Record<string, unknown>): { to?: string } {
  const { to } = search;
  // Only paths of this site: `//elsewhere.example` is another one.
  return typeof to === 'string' && /^\/(?![/\\])/.test(to) ? { to } : {};
}

/** The search parameters of a link in an email. */
export function tokenSearch({ token }: Record<string, unknown>): { token?: string } {
  return typeof token === 'string' && token !== '' ? { token } : {};
}
