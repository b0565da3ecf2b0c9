#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { describe, explain } from './api.js';
import { login, logout, whoami } from './account-commands.js';
import { addConfigurationCommands } from './configuration-commands.js';
import { addEventCommands } from './event-commands.js';
import {
  completion,
  exportRecords,
  getProof,
  listDeliveries,
  resend,
  startScan,
  verifyProof,
} from './project-commands.js';
import { EXIT, type Exit, note, printJson, styled } from './terminal.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const PROJECT = [
  '-p, --project <project>',
  'id, name or domain; not needed with a key of one project',
] as const;
const OUTPUT = ['-o, --output <file>', 'where to write; standard output without'] as const;

const program = new Command('consent')
  .description('Works with the consent service from a terminal or from CI.')
  .version(version)
  .option('--url <address>', 'the service (CONSENT_URL)')
  .option('--json', 'print JSON for programs')
  .addHelpText(
    'after',
    `
Sign in with consent login, or set CONSENT_API_KEY.
Exit codes: 0 done, 1 failed, 2 changes (plan) or findings (scan start --fail-on).

Examples:
  $ consent login --url https://consent.example.com
  $ consent pull
  $ consent plan
  $ consent apply --publish --yes
  $ consent scan start --wait --fail-on new
  $ consent proof verify record.tlog-proof --keys keys.txt`,
  )
  .exitOverride();

/** Runs a command; an error becomes a sentence and exit code 1. */
function run<Args extends unknown[]>(command: (...args: Args) => Exit | Promise<Exit>) {
  return async (...args: Args): Promise<void> => {
    try {
      process.exitCode = await command(...args);
    } catch (error) {
      fail(error);
    }
  };
}

function fail(error: unknown): void {
  if (program.opts<{ json?: boolean }>().json) printJson({ error: describe(error) });
  else note(`${styled('red', 'Error:')} ${explain(error)}`);
  process.exitCode = EXIT.failed;
}

addConfigurationCommands(program, run);
addEventCommands(program, run, PROJECT);

const scan = program.command('scan').description('scans of the website');
scan
  .command('start')
  .description('scan the website')
  .option(...PROJECT)
  .option('--wait', 'until it has ended')
  .option('--fail-on <what>', 'exit code 2: new, any (needs --wait)', 'none')
  .action(run((_: unknown, command: Command) => startScan(command.optsWithGlobals())));

const records = program.command('records').description('consent records');
records
  .command('export')
  .description('write records as CSV or PDF')
  .option(...PROJECT)
  .option('--from <time>', 'received at or after: 2026-12-01 or an instant')
  .option('--to <time>', 'received before')
  .option('--format <format>', 'csv or pdf', 'csv')
  .option('--proofs', 'with the proof of each record, in a ZIP file')
  .option(...OUTPUT)
  .action(run((_: unknown, command: Command) => exportRecords(command.optsWithGlobals())));

const deliveries = program.command('deliveries').description('deliveries to your endpoint');
deliveries
  .command('list')
  .description('list attempts, newest first')
  .option(...PROJECT)
  .option('--status <status>', 'delivered, failed or skipped')
  .option('--limit <number>', 'how many', '20')
  .action(run((_: unknown, command: Command) => listDeliveries(command.optsWithGlobals())));
deliveries
  .command('resend')
  .description('send one record again, or those of a period')
  .argument('[consent]', 'id of a record')
  .option(...PROJECT)
  .option('--status <status>', 'of a period: failed, skipped or unsent', 'failed')
  .option('--from <time>', 'received at or after')
  .option('--to <time>', 'received before')
  .action(
    run((consent: string | undefined, _: unknown, command: Command) =>
      resend(consent, command.optsWithGlobals()),
    ),
  );

const proof = program.command('proof').description('proofs of records');
proof
  .command('get')
  .description('write the proof of a record')
  .argument('<consent>', 'id of the record')
  .option(...PROJECT)
  .option('--format <format>', 'tlog-proof, or pdf for people', 'tlog-proof')
  .option('--language <language>', 'of the PDF: en or de')
  .option(...OUTPUT)
  .action(
    run((consent: string, _: unknown, command: Command) => getProof(consent, command.optsWithGlobals())),
  );
proof
  .command('verify')
  .description('check a proof, without the service and without a key')
  .argument('<file>', 'of consent proof get')
  .requiredOption('--keys <file>', 'the public keys that you trust (GET /.well-known/consent-log-keys)')
  .action(run((file: string, _: unknown, command: Command) => verifyProof(file, command.optsWithGlobals())));

program
  .command('login')
  .description('sign in with a browser, and save a token for 90 days')
  .action(run((_: unknown, command: Command) => login(command.optsWithGlobals())));
program
  .command('logout')
  .description('revoke the saved token')
  .action(run((_: unknown, command: Command) => logout(command.optsWithGlobals())));
program
  .command('whoami')
  .description('whom the key or token belongs to, and its projects')
  .action(run((_: unknown, command: Command) => whoami(command.optsWithGlobals())));
program
  .command('completion')
  .description('print a script for a shell: source <(consent completion bash)')
  .argument('<shell>', 'bash, zsh or fish')
  .action(run((shell: string) => completion(program, shell)));

try {
  await program.parseAsync();
} catch (error) {
  // Commander has printed its own messages.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.failed;
  else fail(error);
}
