import type { MikroORM } from '@mikro-orm/postgresql';
import type { Namespace, SettingsOf } from '../settings/declare-settings.js';
import { isUuid } from '../identity/ids.js';

/** The context of a command. */
export interface Context {
  orm: MikroORM;
  /** The database that `orm` is connected to. */
  databaseUrl: string;
  /** The settings of a module, including those that standalone mode generates. */
  settings<S extends Namespace>(namespace: S): SettingsOf<S>;
}

/** The arguments and options after the name of a command. */
export interface ParsedArgs {
  args: string[];
  values: Record<string, string | boolean | undefined>;
}

/** An operator's command: `<group> <verb>`, or only a verb. */
export interface Command {
  name: string;
  /** Arguments and options, shown in the help after the name. */
  synopsis: string;
  summary: string;
  options: Record<string, { type: 'string' | 'boolean' }>;
  /**
   * Starts the embedded server, because no other process may write; otherwise a running service's
   * server is used.
   */
  startsServer?: true;
  /**
   * Checks the arguments before connecting to a database, and returns the work.
   * @throws UsageError
   */
  prepare(given: ParsedArgs): (context: Context) => Promise<void>;
}

/** A command that opens its own connection, to a database that may be older than the service. */
export interface StandaloneCommand extends Omit<Command, 'prepare' | 'startsServer'> {
  prepare(given: ParsedArgs): () => Promise<void>;
}

/** Invalid arguments: one sentence, exit code 2. */
export class UsageError extends Error {}

/** The command failed without changing anything: one sentence, exit code 1. */
export class OperatorError extends Error {}

export const DRY_RUN = { 'dry-run': { type: 'boolean' } } as const;

/** Lines of one list. An operator who needs more queries the database. */
export const LISTED_MAX = 100;

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** @throws UsageError if there are more than `count` arguments */
export function atMost(count: number, { args }: ParsedArgs): void {
  const surplus = args[count];
  if (surplus !== undefined) throw new UsageError(`Unexpected argument: ${surplus}.`);
}

/** @throws UsageError */
export function requireProjectId(value: string | undefined): string {
  if (value === undefined) throw new UsageError('Specify the id of a project.');
  if (!isUuid(value)) throw new UsageError(`"${value}" is not the id of a project: it must be a UUID.`);
  return value.toLowerCase();
}

/** Requires either an argument or `--all`. @throws UsageError */
export function oneOrAll({ args, values }: ParsedArgs, one: string): 'one' | 'all' {
  const all = values.all === true;
  if (all && args.length > 0) throw new UsageError(`Specify ${one} or --all, not both.`);
  if (!all && args.length === 0) throw new UsageError(`Specify ${one} or --all.`);
  return all ? 'all' : 'one';
}

/** The value of a required option. @throws UsageError */
export function required({ values }: ParsedArgs, option: string, what: string): string {
  const value = values[option];
  if (typeof value !== 'string' || value.trim() === '')
    throw new UsageError(`Specify ${what} with --${option}.`);
  return value.trim();
}
