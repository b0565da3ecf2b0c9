import { createWriteStream, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  client,
  deliveryList,
  type DeliveryResponse,
  deliveryResendCount,
  deliveryResendMany,
  deliveryResendOne,
  findingChanges,
  findingOfScan,
  type FindingResponse,
  scanRead,
  scanRequest,
} from '@service/consent-client/api';
import type { Command } from 'commander';
import { connect, findProject } from './api.js';
import { CliError, EXIT, type Exit, note, print, printJson, printTable, styled } from './terminal.js';

/** Copied by the build from `verify/`, the program for people without this package. */
const verify = createRequire(import.meta.url)('./verify.cjs') as typeof import('../../../verify/verify.cjs');

/** The proof of a new record is not made yet. */
const ACCEPTED = 202;
const POLL_MS = 3_000;
const FAIL_ON = ['none', 'new', 'any'] as const;
type FailOn = (typeof FAIL_ON)[number];
const CERTAINTIES = { settled: 'Clear problem', arguable: 'Arguable', open: 'Needs your decision' };

interface Common {
  url?: string;
  json?: boolean;
  project?: string;
}

/** Starts a scan; with `wait`, until it has ended. Exit code 2: it found what `failOn` names. */
export async function startScan({
  url,
  json,
  project: name,
  wait,
  failOn = 'none',
}: Common & { wait?: boolean; failOn?: FailOn }): Promise<Exit> {
  connect(url);
  if (!FAIL_ON.includes(failOn)) throw new CliError(`--fail-on is one of ${FAIL_ON.join(', ')}.`);
  if (failOn !== 'none' && !wait) throw new CliError('--fail-on needs --wait.');
  const { id: projectId } = await findProject(name);
  const { data: requested } = await scanRequest({ path: { projectId }, body: {} });
  if (!wait) {
    if (json) printJson({ id: requested.id, status: requested.status });
    else print(`Scan ${requested.id} is ${requested.status}.`);
    return EXIT.done;
  }
  const path = { projectId, scanId: requested.id };
  let scan = requested;
  for (let shown = ''; scan.status === 'queued' || scan.status === 'running';) {
    const progress =
      scan.status === 'queued'
        ? 'waiting for a scanner'
        : `${scan.pages.visited} of ${scan.pages.visited + scan.pages.open} pages`;
    if (progress !== shown) note((shown = progress));
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    ({ data: scan } = await scanRead({ path }));
  }
  if (scan.status === 'failed' || scan.status === 'canceled')
    throw new CliError(`The scan ended without a result: ${scan.reason?.message ?? scan.status}`);
  const [{ data: all }, { data: changes }] = await Promise.all([
    findingOfScan({ path, query: { limit: 100 } }),
    findingChanges({ path }),
  ]);
  const added = changes.findingsAdded.items;
  if (json) printJson({ id: scan.id, status: scan.status, result: scan.result, findings: all.items, added });
  else {
    const { settled = 0, arguable = 0, open = 0 } = scan.result ?? {};
    print(
      `Scan ${scan.id} ${scan.status}: ${settled} clear problems, ${arguable} arguable, ${open} to decide; ${changes.findingsAdded.count} new.`,
    );
    if (all.items.length > 0)
      printTable([['FINDING', 'WHAT', 'HOST', ''], ...all.items.map((finding) => rowOf(finding, added))]);
  }
  const isFound =
    failOn === 'any' ? all.items.length > 0 : failOn === 'new' && changes.findingsAdded.count > 0;
  return isFound ? EXIT.found : EXIT.done;
}

function rowOf(
  { id, certainty, kind, name, host }: FindingResponse,
  added: readonly FindingResponse[],
): string[] {
  const isNew = added.some((one) => one.id === id);
  return [CERTAINTIES[certainty], `${kind.replaceAll('_', ' ')} ${name}`, host, isNew ? 'new' : ''];
}

/** Writes records to a file or to the output. */
export async function exportRecords({
  url,
  project: name,
  output,
  ...query
}: Common & {
  output?: string;
  from?: string;
  to?: string;
  format: string;
  proofs?: boolean;
}): Promise<Exit> {
  connect(url);
  const { id } = await findProject(name);
  await download(`/v1/projects/${id}/consents/export`, {
    output,
    query: {
      format: query.format,
      from: query.from,
      to: query.to,
      proofs: query.proofs ? 'true' : undefined,
    },
  });
  return EXIT.done;
}

/** Lists attempts of deliveries, newest first. */
export async function listDeliveries({
  url,
  json,
  project: name,
  status,
  limit,
}: Common & { status?: DeliveryResponse['outcome']; limit: string }): Promise<Exit> {
  connect(url);
  const { id: projectId } = await findProject(name);
  const { data } = await deliveryList({
    path: { projectId },
    query: { limit: Number(limit), ...(status && { status }) },
  });
  if (json) printJson(data.items);
  else
    printTable([
      ['AT', 'RECORD', 'OUTCOME', 'STATUS', 'MS', 'REASON'],
      ...data.items.map(({ attemptedAt, consentId, outcome, httpStatus, durationMs, reason }) => [
        attemptedAt,
        consentId,
        outcome,
        httpStatus === null ? '' : String(httpStatus),
        String(durationMs),
        reason ?? '',
      ]),
    ]);
  return EXIT.done;
}

/** Sends records again: the named one, or the undelivered ones of a period. */
export async function resend(
  consentId: string | undefined,
  {
    url,
    json,
    project: name,
    status,
    from,
    to,
  }: Common & { status: 'failed' | 'skipped' | 'unsent'; from?: string; to?: string },
): Promise<Exit> {
  connect(url);
  const { id: projectId } = await findProject(name);
  if (consentId !== undefined) {
    await deliveryResendOne({ path: { projectId, consentId } });
    if (json) printJson({ queued: 1, more: false });
    else print('One record waits to be sent.');
    return EXIT.done;
  }
  if (from === undefined || to === undefined)
    throw new CliError('Name a record, or a period with --from and --to.');
  const request = { path: { projectId }, body: { status, from, to } };
  const { data: count } = await deliveryResendCount(request);
  if (count.records === 0) {
    if (json) printJson({ queued: 0, more: false });
    else print('No record to send again.');
    return EXIT.done;
  }
  const { data } = await deliveryResendMany(request);
  if (json) printJson(data);
  else print(`${data.queued} records wait to be sent.${data.more ? ' There are more: run this again.' : ''}`);
  return EXIT.done;
}

/** Writes the proof of a record to a file or to the output. */
export async function getProof(
  consentId: string,
  {
    url,
    project: name,
    output,
    format,
    language,
  }: Common & { output?: string; format: string; language?: string },
): Promise<Exit> {
  connect(url);
  const { id } = await findProject(name);
  await download(`/v1/projects/${id}/consents/${encodeURIComponent(consentId)}/proof`, {
    output,
    query: { format, language },
  });
  return EXIT.done;
}

/** Checks a proof by keys that you trust. Needs neither the service nor a key. */
export async function verifyProof(
  file: string,
  { keys, json }: { keys: string; json?: boolean },
): Promise<Exit> {
  const [proof, trusted] = [file, keys].map((path) => readFileSync(path));
  if (!proof || !trusted) throw new CliError('Name the proof and the keys.');
  try {
    const { kind, record, scan, instant, steps, notes } = await verify.verifyProof(proof, trusted);
    if (json) printJson({ valid: true, kind, id: (record ?? scan)?.id, instant, steps, notes });
    else {
      print(
        `${styled('green', 'Valid.')} ${kind === 'record' ? 'Record' : 'Scan'} ${(record ?? scan)?.id ?? ''} of ${String(instant)}`,
      );
      for (const { step, found } of steps) print(`  ${step}: ${found}`);
      for (const text of notes) print(`  ${styled('yellow', text)}`);
    }
    return EXIT.done;
  } catch (error) {
    if (error instanceof verify.CannotCheck) throw error;
    const { message, step } = error as Error & { step?: string };
    if (json) printJson({ valid: false, step: step ?? null, message });
    else print(`${styled('red', 'Not valid.')} ${step === undefined ? '' : `${step}: `}${message}`);
    return EXIT.failed;
  }
}

/** Streams a response to a file or to the output. */
async function download(
  path: string,
  { output, query }: { output: string | undefined; query: Record<string, string | undefined> },
): Promise<void> {
  const { data, response } = await client.get<ReadableStream<Uint8Array>, unknown, true>({
    url: path,
    query,
    parseAs: 'stream',
    throwOnError: true,
    security: [{ scheme: 'bearer', type: 'http' }],
  });
  if (response.status === ACCEPTED)
    throw new CliError('The record is not proved yet. Try again in a few seconds.');
  const body = Readable.fromWeb(data as never);
  if (output === undefined) return pipeline(body, process.stdout, { end: false });
  await pipeline(body, createWriteStream(output));
  note(`Wrote ${output}.`);
}

/** Prints a script that completes commands and options in a shell. */
export function completion(program: Command, shell: string): Exit {
  const words = program.commands.flatMap((command) => [
    command.name(),
    ...command.commands.map((inner) => `${command.name()} ${inner.name()}`),
  ]);
  const name = program.name();
  const firsts = program.commands.map((command) => command.name()).join(' ');
  const cases = program.commands
    .filter(({ commands }) => commands.length > 0)
    .map((command) => ({
      name: command.name(),
      words: command.commands.map((inner) => inner.name()).join(' '),
    }));
  const scripts: Record<string, () => string> = {
    bash: () =>
      [
        `_${name}() {`,
        '  local word=${COMP_WORDS[COMP_CWORD]}',
        '  case ${COMP_WORDS[1]} in',
        ...cases.map(
          (one) =>
            `    ${one.name}) [ "$COMP_CWORD" -gt 1 ] && COMPREPLY=($(compgen -W '${one.words}' -- "$word")) && return ;;`,
        ),
        '  esac',
        `  [ "$COMP_CWORD" -eq 1 ] && COMPREPLY=($(compgen -W '${firsts}' -- "$word"))`,
        '}',
        `complete -o default -F _${name} ${name}`,
      ].join('\n'),
    zsh: () => ['autoload -U +X bashcompinit && bashcompinit', scripts['bash']?.() ?? ''].join('\n'),
    fish: () =>
      words
        .map((text) => {
          const [first = '', second] = text.split(' ');
          return second === undefined
            ? `complete -c ${name} -n __fish_use_subcommand -f -a ${first}`
            : `complete -c ${name} -n '__fish_seen_subcommand_from ${first}' -f -a ${second}`;
        })
        .join('\n'),
  };
  const script = scripts[shell];
  if (!script) throw new CliError(`Unknown shell "${shell}": bash, zsh or fish.`);
  print(script());
  return EXIT.done;
}
