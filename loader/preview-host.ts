/** Whether a website builder serves previews under this host (spec §3.2 row 1); as the service's own rule. */
export function isPreviewHost(hostname: string, ownHosts: string[]): boolean {
  const host = hostname.replace(/\.$/, '');
  const below = (name: string): boolean => host.endsWith(`.${name}`);
  const suffixes = [...STAGING_SUFFIXES.split(' '), ...FREE_SUFFIXES.split(' ')].filter(below);
  // The longest suffix decides.
  const suffix = suffixes.sort((a, b) => b.length - a.length)[0];
  if (!suffix) return false;
  if (` ${STAGING_SUFFIXES} `.includes(` ${suffix} `)) return true;
  return !ownHosts.some((own) => own.endsWith(`.${suffix}`) && (host === own || below(own)));
}
