import ipaddr from 'ipaddr.js';

/**
 * Whether a `Host` header is this machine's loopback: `localhost`, a name below it, or a loopback
 * address. Any other name may be an attacker's that resolves to 127.0.0.1 (DNS rebinding).
 */
export function isLoopbackHost(host: string | undefined): boolean {
  const url = `http://${host ?? ''}/`;
  if (!URL.canParse(url)) return false;
  const { hostname, username, password, host: whole } = new URL(url);
  if (whole === '' || username !== '' || password !== '') return false;
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true;
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
