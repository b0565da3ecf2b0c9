import type { MikroORM } from '@mikro-orm/postgresql';
import type { Namespace, SettingsOf } from '../settings/declare-settings.js';
import { isUuid } from './ids.js';

/** What a command works with. */
export interface Context {
  orm: MikroORM;
  /** The database that `orm` is connected to. */
  databaseUrl: string;
  /** The settings of a module, those that one machine makes for itself included. */
  settings<S extends Namespace>(namespace: S): SettingsOf<S>;
}

/** What was given behind the name of a command. */
export interface Given {
  args: string[];
  values: Record<string, string | boolean | undefined>;
}

/** A command of the operator's: `<room> <verb>`, or a verb alone. */
export interface Command {
  name: string;
  /** Behind the name, as the help shows it. */
  synopsis: string;
  summary: string;
  options: Record<string, { type: 'string' | 'boolean' }>;
  /** Starts the embedded server, because nothing else may write; otherwise a running service's server is used. */
  startsServer?: true;
  /**
   * Checks what was given, before any database is asked, and returns the work.
   * @throws UsageError with the sentence that says what is wrong
   */
  prepare(given: Given): (context: Context) => Promise<void>;
}

/** A command that opens its own connection, to a database that may be older than the service. */
export interface LoneCommand extends Omit<Command, 'prepare' | 'startsServer'> {
  prepare(given: Given): () => Promise<void>;
}

/** Invalid arguments: one sentence, exit code 2. */
export class UsageError extends Error {}

/** Not possible, and nothing was changed: one sentence, exit code 1. */
export class OperatorError extends Error {}

export const DRY_RUN = { 'dry-run': { type: 'boolean' } } as const;

/** Lines of one list; an operator who has more looks into the database. */
export const LISTED_MAX = 100;

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** @throws UsageError where there are more arguments than the command takes. */
export function atMost(count: number, { args }: Given): void {
  const surplus = args[count];
  if (surplus !== undefined) throw new UsageError(`Unexpected argument: ${surplus}.`);
}

/** @throws UsageError */
export function projectIdOf(value: string | undefined): string {
  if (value === undefined) throw new UsageError('Specify the id of a project.');
  if (!isUuid(value)) throw new UsageError(`"${value}" is not the id of a project: it must be a UUID.`);
  return value.toLowerCase();
}

/** One thing by its arguments, or all of them by `--all`: exactly one of the two. @throws UsageError */
export function oneOrAll({ args, values }: Given, one: string): 'one' | 'all' {
  const all = values.all === true;
  if (all && args.length > 0) throw new UsageError(`Specify ${one} or --all, not both.`);
  if (!all && args.length === 0) throw new UsageError(`Specify ${one} or --all.`);
  return all ? 'all' : 'one';
}

/** The text of an option that must be there. @throws UsageError */
export function required({ values }: Given, option: string, what: string): string {
  const value = values[option];
  if (typeof value !== 'string' || value.trim() === '')
    throw new UsageError(`Specify ${what} with --${option}.`);
  return value.trim();
}
