/** Host names out of free text: one a line, or between commas or spaces. */
export function parseDomains(text: string): string[] {
  return text.split(/[\s,;]+/).filter((name) => name !== '');
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
