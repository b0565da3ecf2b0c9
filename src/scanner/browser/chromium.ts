import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  type Dirent,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { BrowserContext } from 'playwright-core';
import { SCAN_LOCALE, SCAN_VIEWPORT, scannerUserAgent } from '../../modules/scans/domain/scanner.js';
import { SettingsError } from '../../platform/settings/declare-settings.js';
import { isExecutable } from '../../platform/settings/setting-kinds.js';
import { within } from './within.js';

const USUAL_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
/** Profiles are kept in folders of this name, followed by the scanner's process id. */
const FOLDER_PREFIX = 'consent-scan-';
const NOT_ALLOWED = new Set(['EACCES', 'EPERM']);
const VERSION_TIMEOUT_MS = 20_000;
const LAUNCH_TIMEOUT_MS = 60_000;
const ALIVE_TIMEOUT_MS = 3_000;
/** A browser that hangs longer is killed. */
const CLOSE_TIMEOUT_MS = 15_000;
/** The cache counts for the limit of the profile. */
const CACHE_BYTES_MAX = 50_000_000;
/** A quarter of the processor where one other session wants all of it, instead of half. */
const AUTOGROUP_NICE = 5;

/**
 * Chromium only reads the last of two switches with one name: the features that Playwright
 * disables, and one of ours.
 */
const DISABLED_FEATURES = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
  // For an ICE server whose name ends with `.local`, WebRTC would ask the network by multicast, beside the proxy.
  'WebRtcHideLocalIpsWithMdns',
];

/** Nothing but what the page causes, and no way around the proxy. */
const ARGUMENTS = [
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  `--disk-cache-size=${CACHE_BYTES_MAX}`,
  '--no-first-run',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy',
];

/** Cookies of other sites are stored, as in the browsers of most visitors. Some packages of Chromium refuse them. */
const PREFERENCES = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } };

/** The user that runs Chromium where the scanner runs as root. */
interface ChromiumUser {
  uid: number;
  gid: number;
}

export interface ChromiumOptions {
  /** Of the operator, for owners of sites; empty: none is named. */
  contact: string;
  path: string;
  /** As `chromium --version` prints it. */
  version: string;
  sandbox: boolean;
  /** It is killed when it uses more. */
  memoryBytesMax: number;
  /** It is killed when its profile takes more. */
  diskBytesMax: number;
  /** null: the scanner's own user. */
  user: ChromiumUser | null;
}

/** A browser with an empty profile. */
export interface OpenChromium {
  context: BrowserContext;
  /** Whether it still carries out commands. */
  isAlive(): Promise<boolean>;
  /** Why it was killed; null: it was not. */
  readonly exceeded: UsageLimit | null;
  /** Closes it and deletes its profile. */
  close(): Promise<void>;
}

/**
 * The Chromium that `SCANNER_CHROMIUM` names, or one at the usual paths; null: there is none.
 * @throws SettingsError where `SCANNER_CHROMIUM` names none.
 */
export function findChromium(configured: string): string | null {
  if (configured === '') return USUAL_PATHS.find(isExecutable) ?? null;
  if (isExecutable(configured)) return configured;
  throw new SettingsError('SCANNER_CHROMIUM must be the path of an executable file.');
}

/** The executable's version, e.g. `Chromium 141.0.7390.54`. Rejects if it cannot be run. */
export async function readVersion(path: string): Promise<string> {
  const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: VERSION_TIMEOUT_MS });
  const [version] = /[A-Z][\w ]*?\d+(\.\d+)+/.exec(stdout) ?? [];
  if (!version) throw new Error(`${path} --version does not print a version.`);
  return version;
}

/** Starts Chromium with an empty profile. All its traffic goes through the proxy. */
export async function openChromium(options: ChromiumOptions, proxyPort: number): Promise<OpenChromium> {
  const { chromium } = await import('playwright-core');
  const folder = mkdtempSync(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  const profile = join(folder, 'profile');
  let exceeded: UsageLimit | null = null;
  const stopWatching = watchUsage({
    marker: profile,
    folder,
    bytesMax: options.memoryBytesMax,
    folderBytesMax: options.diskBytesMax,
    onFound: yieldToOthers,
    onExceeded: (limit) => (exceeded = limit),
  });
  const remove = async (): Promise<void> => {
    stopWatching();
    // A browser that hangs still writes.
    await endProcesses(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    createProfile(profile, options.user);
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: options.user ? runAs(options.user, options.path, folder) : options.path,
      chromiumSandbox: options.sandbox,
      // Shared workers have the browser's user agent, not the page's.
      args: [...ARGUMENTS, `--user-agent=${scannerUserAgent(options)}`],
      // Never with a bypass: a name in it would let loopback around the proxy.
      proxy: { server: `http://127.0.0.1:${proxyPort}` },
      env: environment(folder),
      timeout: LAUNCH_TIMEOUT_MS,
      acceptDownloads: false,
      serviceWorkers: 'block',
      viewport: SCAN_VIEWPORT,
      locale: SCAN_LOCALE,
      userAgent: scannerUserAgent(options),
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    return {
      context,
      isAlive: () =>
        within(
          ALIVE_TIMEOUT_MS,
          context.cookies().then(() => true),
          false,
        ),
      get exceeded() {
        return exceeded;
      },
      close: async () => {
        await within(CLOSE_TIMEOUT_MS, context.close(), undefined);
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** An empty profile with our preferences, which belongs to Chromium's user. */
function createProfile(profile: string, user: ChromiumUser | null): void {
  const own = join(profile, 'Default');
  const preferences = join(own, 'Preferences');
  for (const each of [profile, own]) mkdirSync(each, { mode: 0o700 });
  writeFileSync(preferences, JSON.stringify(PREFERENCES), { mode: 0o600 });
  if (user)
    for (const each of [dirname(profile), profile, own, preferences]) chownSync(each, user.uid, user.gid);
}

/**
 * Lowers the priority of the browser's session. Playwright starts the browser in a new session, and where Linux divides
 * the processor between sessions (autogroups), priorities of processes count only within one session.
 */
function yieldToOthers(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(AUTOGROUP_NICE));
  } catch {
    // Without autogroups, or where Linux refuses a second change so soon, the inherited priority counts.
  }
}

/** Deletes the profiles of scanners that were killed, unless another user's scanner made them. */
export function removeAbandonedProfiles(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = name.startsWith(FOLDER_PREFIX) ? name.slice(FOLDER_PREFIX.length - 1).split('-') : [];
    if (!pid || !/^\d+$/.test(pid) || isRunning(Number(pid))) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch (error) {
      if (!NOT_ALLOWED.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A script that starts Chromium as another user and without a way back. */
function runAs({ uid, gid }: ChromiumUser, path: string, folder: string): string {
  const script = join(folder, 'chromium');
  const command = `setpriv --reuid=${uid} --regid=${gid} --clear-groups --no-new-privs`;
  writeFileSync(script, `#!/bin/sh\nexec ${command} '${path.replaceAll("'", String.raw`'\''`)}' "$@"\n`);
  chmodSync(script, 0o755);
  return script;
}

/** No secrets of the service, and no home but the profile's. */
function environment(folder: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: folder,
    TMPDIR: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    LANG: 'C.UTF-8',
  };
}

/** A page fills half a gigabyte of memory in less than half a second. */
const LOOK_EVERY_MS = 250;
const KILOBYTE = 1024;
const BLOCK_BYTES = 512;
const FILE_BYTES_MIN = 4_096;
/** How long killed processes may take to end. */
const END_TIMEOUT_MS = 5_000;
const END_POLL_MS = 50;

/** The limit that a browser exceeded. */
type UsageLimit = 'memory_limit' | 'disk_limit';

interface Watch {
  /** Part of the command line of a child of this process; processes of other programs do not have it. */
  marker: string;
  bytesMax: number;
  /** Where the processes write. */
  folder: string;
  folderBytesMax: number;
  /** Called once, with the process's id. */
  onFound: (pid: number) => void;
  onExceeded: (limit: UsageLimit) => void;
}

/**
 * Kills a process with all that it started once they use too much memory together, or write too much. Needs `/proc`;
 * elsewhere nothing is watched. Returns what ends the watch.
 */
function watchUsage({ marker, bytesMax, folder, folderBytesMax, onFound, onExceeded }: Watch): () => void {
  let root: number | null = null;
  const looking = setInterval(() => {
    if (root === null) {
      root = findProcess(marker);
      if (root === null) return;
      onFound(root);
    }
    const tree = treeOf(root);
    const needsTooMuch = sum(tree.map(memoryOf)) > bytesMax;
    if (!needsTooMuch && sizeOf(folder) <= folderBytesMax) return;
    clearInterval(looking);
    onExceeded(needsTooMuch ? 'memory_limit' : 'disk_limit');
    for (const pid of tree) kill(pid);
  }, LOOK_EVERY_MS);
  looking.unref();
  return () => clearInterval(looking);
}

/**
 * Kills the processes that have the marker on their command line, with all that they started, and waits until they have
 * ended. Needs `/proc`.
 */
async function endProcesses(marker: string): Promise<void> {
  const deadlineMs = performance.now() + END_TIMEOUT_MS;
  for (;;) {
    const left = processes().filter((pid) => read(pid, 'cmdline').includes(marker));
    if (left.length === 0 || performance.now() > deadlineMs) return;
    for (const pid of new Set(left.flatMap(treeOf))) kill(pid);
    await sleep(END_POLL_MS);
  }
}

/** The child of this process; processes that it starts have the marker, too. */
function findProcess(marker: string): number | null {
  const found = processes().find((pid) => {
    return parentOf(pid) === process.pid && read(pid, 'cmdline').includes(marker);
  });
  return found ?? null;
}

/** A process and everything below it. */
function treeOf(root: number): number[] {
  const children = Map.groupBy(processes(), parentOf);
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

function processes(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** The name of a program, in parentheses, can contain anything. */
function parentOf(pid: number): number {
  const stat = read(pid, 'stat');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

/** Memory that is a process's own or shared between processes; files that are mapped do not count. */
function memoryOf(pid: number): number {
  const lines = [...read(pid, 'status').matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)];
  return sum(lines.map(([, kilobytes]) => Number(kilobytes) * KILOBYTE));
}

/** The disk space that the files of a folder take; also an empty file takes an inode. */
function sizeOf(root: string): number {
  const folders = [root];
  let bytes = 0;
  for (const folder of folders) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      const { blocks } = lstatSync(path, { throwIfNoEntry: false }) ?? { blocks: 0 };
      bytes += Math.max(blocks * BLOCK_BYTES, FILE_BYTES_MIN);
    }
  }
  return bytes;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // The page deleted it.
    return [];
  }
}

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
