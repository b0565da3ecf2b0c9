/** Hostnames in free text, each once: one per line, or between commas or spaces. Addresses stand for their hostname. */
export function parseDomains(text: string): string[] {
  const names = text.split(/[\s,;]+/).filter((name) => name !== '');
  return [...new Set(names.map(hostnameOf))];
}

/** What is no address stays as it was typed, so that the refusal names it. */
function hostnameOf(name: string): string {
  const address = /^https?:\/\//i.test(name) ? name : `https://${name}`;
  const isAddress = name.includes('/') && URL.canParse(address);
  return isAddress ? new URL(address).hostname : name;
}

/** What was refused about a list of domains, in one sentence: the API names each by its place. */
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
