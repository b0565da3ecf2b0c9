import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const FILE = 'credentials.json';

/** Tokens by the address of their service, and the service of the last sign-in. */
interface Credentials {
  url?: string;
  tokens: Record<string, string>;
}

/** The person's folder for settings: `$XDG_CONFIG_HOME`, `%APPDATA%` on Windows, or `~/.config`. */
function folder(): string {
  const { XDG_CONFIG_HOME: xdg, APPDATA: appData } = process.env;
  const base = xdg || (process.platform === 'win32' && appData) || join(homedir(), '.config');
  return join(base, 'consent');
}

function read(): Credentials {
  try {
    const { url, tokens } = JSON.parse(readFileSync(join(folder(), FILE), 'utf8')) as Partial<Credentials>;
    return { ...(typeof url === 'string' && { url }), tokens: { ...tokens } };
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT')
      return { tokens: {} };
    throw error;
  }
}

/** Replaces the file, which only its owner can read. */
function write(credentials: Credentials): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  const path = join(folder(), FILE);
  const next = `${path}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  renameSync(next, path);
}

/** The service of the last sign-in; undefined: there was none. */
export const savedUrl = (): string | undefined => read().url;

export const savedToken = (url: string): string | undefined => read().tokens[url];

export function saveToken(url: string, token: string): void {
  write({ url, tokens: { ...read().tokens, [url]: token } });
}

export function forgetToken(url: string): void {
  const { url: last, tokens } = read();
  delete tokens[url];
  write({ ...(last !== undefined && last !== url && { url: last }), tokens });
}
