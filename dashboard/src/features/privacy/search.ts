/** What the address says about the page. Who is looked for is not in it: addresses are kept, sent on and logged. */
export function privacySearch(search: Record<string, unknown>): { open?: string } {
  const { open } = search;
  return typeof open === 'string' && open.trim() !== '' ? { open: open.trim() } : {};
}
