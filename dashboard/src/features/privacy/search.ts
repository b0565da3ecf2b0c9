/** The page's search parameters. The visitor is not among them: addresses are saved, shared and logged. */
export function privacySearch(search: Record<string, unknown>): { open?: string } {
  const { open } = search;
  return typeof open === 'string' && open.trim() !== '' ? { open: open.trim() } : {};
}
