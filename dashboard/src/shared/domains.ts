/**
 * Distinct hostnames in free text: one per line, or separated by commas or spaces. URLs are reduced
 * to their hostname.
 */
export function parseDomains(text: string): string[] {
  const names = text.split(/[\s,;]+/).filter((name) => name !== '');
  return [...new Set(names.map(hostnameOf))];
}

/** Other text is unchanged, so that the error names it. */
function hostnameOf(name: string): string {
  const address = /^https?:\/\//i.test(name) ? name : `https://${name}`;
  const isAddress = name.includes('/') && URL.canParse(address);
  return isAddress ? new URL(address).hostname : name;
}

/** The errors about a list of domains, in one sentence: the API names each by its index. */
export function domainErrors(fields: Readonly<Record<string, string>>, domains: string[]): string | null {
  const refused = Object.entries(fields).filter(([field]) => field.startsWith('domains'));
  if (refused.length === 0) return null;
  return refused
    .map(([field, message]) => {
      const name = domains[Number(field.split('.')[1])];
      return name === undefined ? message : `${name}: ${message}`;
    })
    .join(' ');
}
