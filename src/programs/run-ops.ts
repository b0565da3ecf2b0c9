import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Command, ParsedArgs, StandaloneCommand } from '../platform/operations/operator-command.js';
import { OperatorError, UsageError } from '../platform/operations/operator-command.js';
import { DATABASE_COMMANDS, STANDALONE_COMMANDS } from './operator-commands.js';
import type { Settings } from './settings.js';

const COMMANDS = [...STANDALONE_COMMANDS, ...DATABASE_COMMANDS];
const PROGRAM = 'npm run ops --';

/**
 * Runs an operator's command, also beside a running service on the same database. Exit code 0: done; 1: failed; 2: wrong
 * arguments. Every command has --help.
 */
export async function runOps(argv: string[]): Promise<void> {
  try {
    await runCommand(argv);
  } catch (error) {
    await reportFailure(error);
  }
}

async function runCommand(argv: string[]): Promise<void> {
  const wantsHelp = argv.includes('--help') || argv.includes('-h') || argv[0] === 'help';
  const words = argv.filter((word) => !word.startsWith('-') && word !== 'help');
  const isNamed = ({ name }: { name: string }): boolean => `${words.join(' ')} `.startsWith(`${name} `);
  const alone = STANDALONE_COMMANDS.find(isNamed);
  const command = DATABASE_COMMANDS.find(isNamed);
  if (wantsHelp) {
    const known = alone ?? command;
    process.stdout.write(known ? formatHelp(known) : formatOverview(words[0]));
    return;
  }
  if (words.length === 0) throw new UsageError('Specify a command.');
  if (alone) return alone.prepare(parseCommandLine(alone, argv))();
  if (!command) throw new UsageError(`Unknown command "${words.slice(0, 2).join(' ')}".`);
  await withDatabase(command.prepare(parseCommandLine(command, argv)), command.startsServer === true);
}

function parseCommandLine({ name, options }: Command | StandaloneCommand, argv: string[]): ParsedArgs {
  try {
    const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options });
    return { args: positionals.slice(name.split(' ').length), values };
  } catch (error) {
    // Node names the option and then adds a sentence about positional arguments.
    const [sentence = ''] = (error as Error).message.split(/(?<=\.)\s|\n/);
    throw new UsageError(sentence.endsWith('.') ? sentence : `${sentence}.`);
  }
}

/** Loaded here: help and argument errors need neither settings nor a database. */
async function withDatabase(work: ReturnType<Command['prepare']>, startsServer: boolean): Promise<void> {
  const [{ MikroORM }, { readProcessSettings }, { ormOptions }, { fillInSecrets }] = await Promise.all([
    import('@mikro-orm/postgresql'),
    import('./settings.js'),
    import('./orm-options.js'),
    import('../standalone/secrets.js'),
  ]);
  const settings = readProcessSettings();
  const { databaseUrl, stop } = await openDatabase(settings, startsServer);
  try {
    const orm = await MikroORM.init(ormOptions(databaseUrl));
    try {
      // In standalone mode the secrets are in DATA_DIR, not in the environment.
      const complete = (): Settings =>
        settings.service.production ? settings : fillInSecrets(settings).settings;
      await work({
        orm,
        databaseUrl,
        settings: ({ name }) => complete()[name as keyof Settings] as never,
      });
    } finally {
      await orm.close();
    }
  } finally {
    await stop();
  }
}

async function openDatabase(
  settings: Settings,
  startsServer: boolean,
): Promise<{ databaseUrl: string; stop: () => Promise<void> }> {
  const { databaseUrl } = settings.database;
  const { dataDir } = settings.service;
  if (databaseUrl) return { databaseUrl, stop: () => Promise.resolve() };
  const folder = join(dataDir, 'postgres');
  if (!startsServer) {
    const { runningServer } = await import('../standalone/embedded-postgres.js');
    return { databaseUrl: (await runningServer(folder)).databaseUrl, stop: () => Promise.resolve() };
  }
  // As root the database itself may be in another folder.
  if (!existsSync(join(dataDir, 'secrets.json'))) throw new OperatorError(`No database in ${dataDir}.`);
  const { prepareRuntime } = await import('../standalone/prepare-runtime.js');
  const machine = await prepareRuntime(settings);
  return { databaseUrl: machine.settings.database.databaseUrl, stop: machine.stop };
}

function formatOverview(group: string | undefined): string {
  const inGroup = COMMANDS.filter(({ name }) => name.startsWith(`${group} `));
  const shown = inGroup.length > 0 ? inGroup : COMMANDS;
  const lines = shown.flatMap(({ name, synopsis, summary }) => [
    `  ${name} ${synopsis}`.trimEnd(),
    `      ${summary}`,
  ]);
  return [
    `Usage: ${PROGRAM} <command>`,
    '',
    ...lines,
    '',
    'With --dry-run, a command prints what it would do without changing anything. Every command supports --help.',
    '',
  ].join('\n');
}

function formatHelp({ name, synopsis, summary }: Command | StandaloneCommand): string {
  return `Usage: ${`${PROGRAM} ${name} ${synopsis}`.trimEnd()}\n\n  ${summary}\n`;
}

async function reportFailure(failure: unknown): Promise<void> {
  process.exitCode = failure instanceof UsageError ? 2 : 1;
  if (failure instanceof UsageError) {
    process.stderr.write(`${failure.message} Run "${PROGRAM} --help" for a list of commands.\n`);
    return;
  }
  const { endingMessage } = await import('./expected-errors.js');
  process.stderr.write(`${endingMessage(failure)}\n`);
}
