const LOCAL_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The host of an `Origin` header, for comparison with the project's domains. null: no check,
 * because there is no header, or it is this machine in development. An origin without a host
 * (`null`, a file, an extension) is the empty host, which is no project's domain.
 */
export function originHost(
  origin: string | undefined,
  { production }: { production: boolean },
): string | null {
  if (origin === undefined) return null;
  if (!URL.canParse(origin)) return '';
  const { hostname } = new URL(origin);
  if (!production && LOCAL_HOSTS.has(hostname)) return null;
  return hostname.replace(/\.$/, '');
}
