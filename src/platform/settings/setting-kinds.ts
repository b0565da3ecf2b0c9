import { accessSync, constants, statSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Described, Refuse, Setting } from './declare-settings.js';

/** The labels of a host name; container names may have underscores. */
const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i;

/** A kind of setting that only one module has. */
export function setting<T>(
  name: string,
  { parse, write = String, ...described }: Described<T> & Pick<Setting<T>, 'parse'> & Partial<Setting<T>>,
): Setting<T> {
  return { ...described, name, parse, write };
}

export function text(name: string, described: Described<string>): Setting<string> {
  return setting(name, { ...described, parse: (raw) => raw });
}

/** A secret text with a minimum length. */
export function secret(
  name: string,
  { charactersMin, ...described }: Described<string> & { charactersMin: number },
): Setting<string> {
  return text(name, {
    ...described,
    secret: true,
    check: (value, refuse) => {
      if (value.length < charactersMin) refuse(`must have at least ${charactersMin} characters.`);
    },
  });
}

/** A whole number in decimal digits, both bounds included. */
export function integer(
  name: string,
  { min, max, ...described }: Described<number> & { min: number; max: number },
): Setting<number> {
  return setting(name, {
    ...described,
    parse: (raw, refuse) => {
      const value = Number(raw);
      if (/^\d+$/.test(raw) && value >= min && value <= max) return value;
      refuse(`must be a whole number from ${min} to ${max}.`);
      return undefined;
    },
  });
}

export function choice<const T extends string>(
  name: string,
  { choices, ...described }: Described<T> & { choices: readonly T[] },
): Setting<T> {
  return setting(name, { ...described, parse: (raw, refuse) => oneOf(choices, raw, refuse) });
}

/** One of two words, the first of which means true. */
export function flag(
  name: string,
  { words = ['true', 'false'], ...described }: Described<boolean> & { words?: [string, string] },
): Setting<boolean> {
  return setting(name, {
    ...described,
    parse: (raw, refuse) => {
      const word = oneOf(words, raw, refuse);
      return word === undefined ? undefined : word === words[0];
    },
    write: (value) => words[value ? 0 : 1],
  });
}

function oneOf<T extends string>(choices: readonly T[], raw: string, refuse: Refuse): T | undefined {
  const found = choices.find((candidate) => candidate === raw);
  if (found === undefined) refuse(`must be one of ${choices.join(', ')}.`);
  return found;
}

/** Comma-separated entries, none of them empty. */
export function list(name: string, described: Described<string[]>): Setting<string[]> {
  return setting(name, { ...described, parse: splitList, write: (entries) => entries.join(',') });
}

/** Name servers, `address` or `address:port`. */
export function nameServers(name: string, described: Described<string[]>): Setting<string[]> {
  return list(name, {
    ...described,
    check: (servers, refuse) => {
      for (const server of servers) {
        if (!isAddressAndPort(server))
          refuse(`must list addresses, each with or without a port; "${server}" is invalid.`);
      }
    },
  });
}

/** `192.0.2.1`, `192.0.2.1:53`, `2001:db8::1` or `[2001:db8::1]:53`. */
function isAddressAndPort(value: string): boolean {
  const [, bracketed, bare = '', port = '53'] = /^(?:\[(.+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(value) ?? [];
  const known = bracketed === undefined ? isIP(bare) === 4 : isIP(bracketed) === 6;
  return isIP(value) !== 0 || (known && Number(port) >= 1 && Number(port) <= 65_535);
}

/** Whether a path is a file that this process may execute. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The entries of a comma-separated text. */
export function splitList(raw: string): string[] {
  return raw
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** A URL as given. It may contain a password, so errors do not repeat it. */
export function url(
  name: string,
  { protocols, ...described }: Described<string> & { protocols: string[] },
): Setting<string> {
  return setting(name, { ...described, parse: (raw, refuse) => refuseOtherUrls(raw, protocols, refuse) });
}

/** Scheme, host and port, without trailing slash. */
export function origin(name: string, described: Described<string>): Setting<string> {
  return setting(name, {
    ...described,
    parse: (raw, refuse) => {
      refuseOtherUrls(raw, ['http:', 'https:'], refuse);
      if (!URL.canParse(raw)) return undefined;
      const parsed = new URL(raw);
      // A path or query would be dropped silently, and every link would be wrong.
      if (parsed.pathname !== '/' || parsed.search || parsed.hash || parsed.username || parsed.password) {
        refuse('must be an origin, e.g. https://consent.example.com, with nothing after the host.');
      }
      return parsed.origin;
    },
  });
}

function refuseOtherUrls(raw: string, protocols: string[], refuse: Refuse): string {
  if (!URL.canParse(raw) || !protocols.includes(new URL(raw).protocol)) {
    const beginnings = protocols.map((protocol) => `${protocol}//`).join(' or ');
    refuse(`must be a URL that starts with ${beginnings}.`);
  }
  return raw;
}

export function host(name: string, described: Described<string>): Setting<string> {
  return text(name, {
    ...described,
    check: (value, refuse) => {
      // Four numbers that are not an address would be resolved as a name.
      if (isIP(value) === 0 && (!HOST_NAME.test(value) || /^[\d.]+$/.test(value))) {
        refuse('must be an address or hostname, without scheme and port.');
      }
    },
  });
}

/** The port of a server, which may be 0. */
export function port(name: string, described: Described<number>): Setting<number> {
  return integer(name, { ...described, min: 0, max: 65_535 });
}

/** `192.0.2.1`, `192.0.2.0/24` or the same for IPv6. */
export function isAddressOrCidr(value: string): boolean {
  const [address = '', prefix, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/** A hostname or address with a port. */
export function isHostAndPort(value: string): boolean {
  return /^[^@/?#\s]+:\d{1,5}$/.test(value) && URL.canParse(`https://${value}`);
}
