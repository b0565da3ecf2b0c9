import { isDeepStrictEqual } from 'node:util';
import type { SiteConfiguration } from './configuration.js';

/** One field that differs between two configurations. */
export interface ConfigurationChange {
  /**
   * The position: members, and in a list the name of its entry (a language, a category, a service, a cookie).
   */
  path: string[];
  kind: 'added' | 'removed' | 'changed';
  /** The values before and after: text unchanged, everything else as JSON; null: absent. */
  before: string | null;
  after: string | null;
}

/**
 * The member that names the entries of a list, by the list's own member. Other lists are compared as a whole.
 */
const NAMED_BY: Record<string, string> = {
  texts: 'language',
  categories: 'key',
  services: 'name',
  cookies: 'name',
  // Of blocking.
  rules: 'host',
  translations: 'language',
};

type Entry = Record<string, unknown>;

/** The fields in which two configurations differ, in order; empty if they are equal. */
export function changesBetween(before: SiteConfiguration, after: SiteConfiguration): ConfigurationChange[] {
  return changesOf([], comparable(before), comparable(after));
}

/** Without the members that follow from others. */
function comparable({ defaultMode: _default, regionRules, ...others }: SiteConfiguration): Entry {
  return { ...others, regionRules: regionRules.map(({ mode: _mode, ...rule }) => rule) };
}

function changesOf(path: string[], before: unknown, after: unknown): ConfigurationChange[] {
  // PostgreSQL returns JSON members in another order, which is no difference.
  if (isDeepStrictEqual(before, after)) return [];
  if (before === undefined) return [{ path, kind: 'added', before: null, after: textOf(after) }];
  if (after === undefined) return [{ path, kind: 'removed', before: textOf(before), after: null }];
  const [was, is] = [membersOf(path, before), membersOf(path, after)];
  if (!was || !is) return [changed(path, before, after)];
  const names = [...new Set([...was.keys(), ...is.keys()])];
  const changes = names.flatMap((name) => changesOf([...path, name], was.get(name), is.get(name)));
  // Only the order differs, which the banner shows.
  return changes.length > 0 || !Array.isArray(before)
    ? changes
    : [changed(path, [...was.keys()], [...is.keys()])];
}

/** An object's members, or a list's entries by name; null for a value that is compared as a whole. */
function membersOf(path: string[], value: unknown): Map<string, unknown> | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  const naming = NAMED_BY[path.at(-1) ?? ''];
  const entries = (value as (Entry | string)[]).map((entry): [unknown, unknown] => [
    typeof entry === 'object' && naming !== undefined ? entry[naming] : null,
    entry,
  ]);
  const names = new Set(entries.map(([name]) => name));
  // Two services may have the same name: then the name does not identify the changed one.
  return names.size === entries.length && !names.has(null) ? new Map(entries as [string, unknown][]) : null;
}

function changed(path: string[], before: unknown, after: unknown): ConfigurationChange {
  return { path, kind: 'changed', before: textOf(before), after: textOf(after) };
}

function textOf(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
