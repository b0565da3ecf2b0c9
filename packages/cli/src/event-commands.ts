import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApiError,
  eventList,
  type EventResponse,
  eventTrigger,
  eventTypeList,
} from '@service/consent-client/api';
import type { Command } from 'commander';
import { connect, explain, findProject } from './api.js';
import { CliError, EXIT, type Exit, note, print, printJson, styled } from './terminal.js';

/** One request of a long poll; the service allows no more. */
const WAIT_SECONDS = 20;
const PAGE = 200;
/** As the service does it for event endpoints. */
const FORWARD_MAX_MS = 15_000;
const SECRET_BYTES = 32;
const BACK_OFF_FIRST_MS = 1_000;
const BACK_OFF_MAX_MS = 30_000;
/** Refusals that a repeated request does not change. */
const FINAL = new Set([400, 401, 403, 404, 422]);
const MILLISECONDS_DIGITS = 12;

interface Common {
  url?: string;
  json?: boolean;
  project?: string;
}

interface ListenOptions extends Common {
  forwardTo?: string;
  types?: string;
}

/** How a forwarded event ended. */
type Forwarded = { status: number; durationMs: number } | { error: string; durationMs: number };

/** Adds `listen` and `trigger`. */
export function addEventCommands(
  program: Command,
  run: <Args extends unknown[]>(
    command: (...args: Args) => Exit | Promise<Exit>,
  ) => (...args: Args) => Promise<void>,
  projectOption: readonly [string, string],
): void {
  program
    .command('listen')
    .description('receive the events of a project on this machine')
    .option(...projectOption)
    .option('--forward-to <address>', 'where to send them, such as http://localhost:4000/hook')
    .option('--types <types>', 'only these, separated by commas')
    .addHelpText(
      'after',
      '\nExample:\n  $ consent listen --forward-to http://localhost:4000/hook --types scan.finished',
    )
    .action(run((_: unknown, command: Command) => listen(command.optsWithGlobals())));
  program
    .command('trigger')
    .description('create an example event, which only running `consent listen` receive')
    .argument('<type>', 'such as scan.finished')
    .option(...projectOption)
    .action(run((type: string, _: unknown, command: Command) => trigger(type, command.optsWithGlobals())));
}

/** Prints events as they happen, and forwards them with a signature, until Ctrl-C. */
async function listen({ url, json, project: name, forwardTo, types }: ListenOptions): Promise<Exit> {
  connect(url);
  if (forwardTo !== undefined && !/^https?:$/.test(URL.parse(forwardTo)?.protocol ?? ''))
    throw new CliError('--forward-to is an address such as http://localhost:4000/hook.');
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  const { id: projectId, name: projectName } = await findProject(name);
  const { response, data: known } = await eventTypeList();
  const wanted = chosenTypes(types, known.items);
  if (json) printLine({ secret, projectId, forwardTo: forwardTo ?? null });
  else {
    print(`Listening to events of ${projectName}. Stop with Ctrl-C.`);
    if (forwardTo !== undefined) print(`Signing secret, until this ends: ${styled('bold', secret)}`);
  }
  // The clock of the service: this machine's may differ.
  let after = idFrom(Date.parse(response.headers.get('date') ?? '') || Date.now());
  let failures = 0;
  while (!stop.signal.aborted) {
    let events: EventResponse[] = [];
    try {
      const query = { after, waitSeconds: WAIT_SECONDS, test: true, limit: PAGE };
      ({
        data: { items: events },
      } = await eventList({ path: { projectId }, query, signal: stop.signal }));
      failures = 0;
    } catch (error) {
      if (stop.signal.aborted) break;
      if (error instanceof ApiError && FINAL.has(error.status)) throw error;
      const pauseMs = Math.min(BACK_OFF_FIRST_MS * 2 ** failures, BACK_OFF_MAX_MS);
      failures += 1;
      note(`${explain(error)} Trying again in ${pauseMs / 1_000} s.`);
      await sleep(pauseMs, undefined, { signal: stop.signal }).catch(() => {});
    }
    for (const event of events) {
      if (stop.signal.aborted) break;
      after = event.id;
      if (wanted !== null && !wanted.has(event.type)) continue;
      const result =
        forwardTo === undefined ? null : await forward(event, { forwardTo, secret, stop: stop.signal });
      if (json) printLine({ ...event, forwarded: result });
      else print(lineOf(event, result));
    }
  }
  if (!json) print('Stopped.');
  return EXIT.done;
}

/** Creates the example of a type. */
async function trigger(type: string, { url, json, project: name }: Common): Promise<Exit> {
  connect(url);
  const { id: projectId } = await findProject(name);
  const { data: known } = await eventTypeList();
  const [chosen] = chosenTypes(type, known.items) ?? [];
  if (chosen === undefined) throw new CliError('Name a type, such as scan.finished.');
  const { data: event } = await eventTrigger({ path: { projectId }, body: { type: chosen } });
  if (json) printJson(event);
  else print(`Triggered ${event.type} as ${event.id}. Each running \`consent listen\` receives it.`);
  return EXIT.done;
}

/** The named types; null: all. */
function chosenTypes(
  types: string | undefined,
  known: readonly { type: EventResponse['type'] }[],
): Set<EventResponse['type']> | null {
  if (types === undefined) return null;
  return new Set(
    types.split(',').map((given) => {
      const found = known.find(({ type }) => type === given.trim());
      if (found) return found.type;
      throw new CliError(`No event type "${given}". Types: ${known.map(({ type }) => type).join(', ')}.`);
    }),
  );
}

/** Sends an event as the service sends it to an endpoint (Standard Webhooks), marked with `test` if it was triggered. */
async function forward(
  { id, type, timestamp, data, test }: EventResponse,
  { forwardTo, secret, stop }: { forwardTo: string; secret: string; stop: AbortSignal },
): Promise<Forwarded> {
  const body = JSON.stringify({ type, timestamp, data, ...(test && { test }) });
  const seconds = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  const startedMs = performance.now();
  const durationMs = (): number => Math.round(performance.now() - startedMs);
  try {
    const response = await fetch(forwardTo, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Service-Events/1.0',
        'webhook-id': id,
        'webhook-timestamp': seconds,
        'webhook-signature': `v1,${signature}`,
      },
      signal: AbortSignal.any([stop, AbortSignal.timeout(FORWARD_MAX_MS)]),
    });
    await response.body?.cancel();
    return { status: response.status, durationMs: durationMs() };
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    return { error: cause?.code ?? (name === 'TimeoutError' ? 'timeout' : name), durationMs: durationMs() };
  }
}

function lineOf({ type, id, test }: EventResponse, result: Forwarded | null): string {
  const what = `${new Date().toTimeString().slice(0, 8)}  ${type}${test ? ' (test)' : ''}  ${id}`;
  if (result === null) return what;
  const isGood = 'status' in result && result.status >= 200 && result.status < 300;
  const end = 'status' in result ? String(result.status) : result.error;
  return `${what}  ${styled(isGood ? 'green' : 'red', end)}  ${result.durationMs} ms`;
}

/** One JSON value a line, for programs that read while this runs. */
const printLine = (value: unknown): void => print(JSON.stringify(value));

/** Sorts before every id that the service makes at this time or later. */
function idFrom(atMs: number): string {
  const time = atMs.toString(16).padStart(MILLISECONDS_DIGITS, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}
