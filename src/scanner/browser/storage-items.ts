import { cut, isThirdParty, maskValue, type ObservedItem } from '../../modules/scans/domain/observation.js';
import { type HookReport, REPORTED_CHARACTERS_MAX } from './page-hooks.js';
import type { FrameStorage } from './page-script.js';
import { placeOf } from './recorded-items.js';

const STORAGE_KINDS = ['local_storage', 'session_storage', 'indexed_db'] as const;
type StorageKind = (typeof STORAGE_KINDS)[number];

/** The stored data of a frame at `host`. */
export interface FrameContent extends FrameStorage {
  host: string;
}

interface StorageTraces {
  pageHost: string;
  reports: readonly HookReport[];
  /** Values of the entries that earlier pages of the profile left. null: other pages were open, too. */
  known: StoredEntries | null;
}

/** Entries and databases of all frames that are open, each once: frames of one origin share their storage. */
export function storageItems(
  frames: readonly FrameContent[],
  { pageHost, reports, known }: StorageTraces,
): ObservedItem[] {
  const stored = new Map<string, ObservedItem>();
  for (const { kind, name, host, value } of frames.flatMap(entriesIn)) {
    const trace = traceOf(reports, { kind, name, host, value });
    // A page without others in its profile has set all new items.
    const isSet = trace !== null || known?.isNew({ kind, name, host, value }) === true;
    const initiator = placeOf(trace?.source ?? null);
    stored.set(keyOf({ kind, name, host }), {
      kind,
      name: cut(name),
      host,
      thirdParty: isThirdParty(host, pageHost),
      details: {
        ...(value !== null && maskValue(value)),
        ...(isSet && { setBy: 'script' as const }),
        ...(initiator !== null && { initiator }),
      },
    });
  }
  return [...stored.values(), ...removedItems(reports, { pageHost, stored })];
}

/** Entries that scripts set and that are deleted at the end. */
function removedItems(
  reports: readonly HookReport[],
  { pageHost, stored }: { pageHost: string; stored: ReadonlyMap<string, ObservedItem> },
): ObservedItem[] {
  const items = reports.flatMap(({ kind, name, host, value, source }): [string, ObservedItem][] => {
    if (!isStorageKind(kind) || host === '' || stored.has(keyOf({ kind, name, host }))) return [];
    const initiator = placeOf(source);
    const item: ObservedItem = {
      kind,
      name: cut(name),
      host,
      thirdParty: isThirdParty(host, pageHost),
      details: {
        setBy: 'script',
        removed: true,
        ...(kind !== 'indexed_db' && value.length < REPORTED_CHARACTERS_MAX && maskValue(value)),
        ...(initiator !== null && { initiator }),
      },
    };
    return [[keyOf({ kind, name, host }), item]];
  });
  return [...new Map(items).values()];
}

interface Entry {
  kind: StorageKind;
  name: string;
  host: string;
  /** null: a database. */
  value: string | null;
}

function entriesIn({ host, local, session, databases }: FrameContent): Entry[] {
  return [
    ...local.map(([name, value]) => ({ kind: 'local_storage' as const, name, host, value })),
    ...session.map(([name, value]) => ({ kind: 'session_storage' as const, name, host, value })),
    ...databases.map((name) => ({ kind: 'indexed_db' as const, name, host, value: null })),
  ];
}

/** What set an entry: the last report with its value, otherwise the last one of its name in its origin. */
function traceOf(reports: readonly HookReport[], { kind, name, host, value }: Entry): HookReport | null {
  const possible = reports.filter(
    (report) => report.kind === kind && report.name === name && report.host === host,
  );
  return possible.findLast((report) => report.value === value) ?? possible.at(-1) ?? null;
}

/**
 * The data that the pages of a profile left in it so far. Session storage belongs to a tab and is
 * not included.
 */
export class StoredEntries {
  private readonly values = new Map<string, string | null>();

  add(frames: readonly FrameContent[]): void {
    for (const { value, ...entry } of frames.flatMap(entriesIn))
      if (entry.kind !== 'session_storage')
        this.values.set(keyOf(entry), value && maskValue(value).valueHash);
  }

  isNew({ value, ...entry }: Entry): boolean {
    return this.values.get(keyOf(entry)) !== (value && maskValue(value).valueHash);
  }
}

function isStorageKind(kind: HookReport['kind']): kind is StorageKind {
  return STORAGE_KINDS.some((each) => each === kind);
}

function keyOf({ kind, name, host }: Pick<Entry, 'kind' | 'name' | 'host'>): string {
  return JSON.stringify([kind, host, cut(name)]);
}
