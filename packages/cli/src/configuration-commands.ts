import { createInterface } from 'node:readline/promises';
import {
  configurationRead,
  configurationRollBack,
  configurationSave,
  draftRead,
  publicationList,
} from '@service/consent-client/api';
import type { Command } from 'commander';
import { connect, describe, explain, findProject, findProjects } from './api.js';
import { line } from './changes.js';
import { chosenFolders, folderFor, problemsIn, type ProjectFolder, readFile, writeFile } from './folder.js';
import { type Plan, RESOURCE, type WriteOptions } from './resources.js';
import { editable, RESOURCES, type ResourceName } from './schemas.js';
import { CliError, EXIT, type Exit, note, print, printJson, printTable, styled } from './terminal.js';

/** Projects that are read or written at the same time. */
const PROJECTS_AT_ONCE = 4;

interface Common {
  url?: string;
  json?: boolean;
}

interface FolderOptions extends Common {
  folder: string;
}

interface PlanOptions extends FolderOptions {
  publish?: boolean;
  confirmMissingTexts?: boolean;
  message?: string;
}

/** The state of one project's plan; `error` where it could not be made or applied. */
interface ProjectPlan {
  folder: ProjectFolder;
  parts: { resource: ResourceName; plan: Plan }[];
  error?: unknown;
}

/** Writes the state of projects into files. */
async function pull(names: string[], { folder: root, url, json }: FolderOptions): Promise<Exit> {
  const baseUrl = connect(url);
  const projects = await findProjects(names);
  // One after the other, so that two projects of the same name do not take the same folder.
  const folders = projects.map((project) => folderFor(root, project));
  const results = await each(folders, json, async (folder) => {
    for (const resource of RESOURCES)
      writeFile(folder, resource, {
        content: await RESOURCE[resource].read(folder.id),
        schema: `${baseUrl}/docs/schemas/${resource}.json`,
      });
  });
  return report(results, json, `Wrote ${counted(folders.length, 'project')} to ${root}.`);
}

/** Checks files without the service. */
function validate(names: string[], { folder: root, json }: FolderOptions): Exit {
  const folders = chosenFolders(root, names);
  const problems = folders.flatMap(problemsIn);
  if (json) printJson(problems);
  else for (const { file, problem } of problems) print(`${styled('bold', file)}: ${problem}`);
  if (!json && problems.length === 0) print(`The files of ${counted(folders.length, 'project')} are valid.`);
  return problems.length === 0 ? EXIT.done : EXIT.failed;
}

/** Shows what `apply` would change. */
async function plan(names: string[], options: PlanOptions): Promise<Exit> {
  connect(options.url);
  const plans = await plansOf(names, options);
  show(plans, options.json);
  if (plans.some(({ error }) => error !== undefined)) return EXIT.failed;
  return plans.some(hasChanges) ? EXIT.found : EXIT.done;
}

/** Makes the service like the files. */
async function apply(names: string[], options: PlanOptions & { yes?: boolean }): Promise<Exit> {
  connect(options.url);
  const plans = await plansOf(names, options);
  if (!options.json) show(plans, false);
  const changing = plans.filter((one) => one.error === undefined && hasChanges(one));
  if (changing.length > 0 && !(await isConfirmed(options))) throw new CliError('Nothing was changed.');
  const results = await each(changing, options.json, async ({ parts }) => {
    for (const { plan: part } of parts) if (part.changes.length > 0) await part.apply();
  });
  const failed = results.filter(({ error }) => error !== undefined);
  for (const { item, error } of failed) item.error = error;
  const summary = {
    applied: results.length - failed.length,
    failed: plans.filter(({ error }) => error !== undefined).map(asJson),
  };
  if (options.json) printJson(summary);
  else {
    for (const { item, error } of failed) note(`${styled('red', item.folder.name)}: ${explain(error)}`);
    print(summary.applied === 0 ? 'Nothing was changed.' : `Changed ${counted(summary.applied, 'project')}.`);
  }
  return summary.failed.length === 0 ? EXIT.done : EXIT.failed;
}

/** Publishes the draft that waits. */
async function publish({
  url,
  json,
  project: name,
  ...options
}: PlanOptions & { project?: string }): Promise<Exit> {
  connect(url);
  const { id: projectId } = await findProject(name);
  const path = { projectId };
  const [{ data: draft }, saved] = await Promise.all([draftRead({ path }), configurationRead({ path })]);
  if (draft.configuration === null) throw new CliError('There is no draft to publish.');
  if (draft.basedOn !== saved.data.version)
    throw new CliError(
      'The published configuration has changed since the draft was begun. Look at it in the dashboard.',
    );
  const { data } = await configurationSave({
    path,
    body: {
      ...editable('configuration', draft.configuration),
      draftVersion: draft.version,
      confirmMissingTexts: options.confirmMissingTexts ?? false,
      ...(options.message !== undefined && { comment: options.message }),
    },
    headers: { 'If-Match': saved.response.headers.get('etag') ?? '*' },
  });
  if (json) printJson({ version: data.version });
  else print(`Published as version ${data.version}.`);
  return EXIT.done;
}

/** Lists the publications. */
async function history({
  url,
  json,
  project: name,
  limit,
}: Common & { project?: string; limit: string }): Promise<Exit> {
  connect(url);
  const { id: projectId } = await findProject(name);
  const { data } = await publicationList({ path: { projectId }, query: { limit: Number(limit) } });
  if (json) printJson(data.items);
  else
    printTable([
      ['VERSION', 'PUBLISHED', 'TIER', 'BY', 'COMMENT'],
      ...data.items.map(({ version, at, tier, author, comment }) => [
        String(version),
        at,
        tier,
        author === null ? 'service' : (author.name ?? author.kind),
        comment ?? '',
      ]),
    ]);
  return EXIT.done;
}

/** Publishes an earlier version again. */
async function rollBack(
  version: string,
  { url, json, project: name, message }: Common & { project?: string; message?: string },
): Promise<Exit> {
  connect(url);
  const { id: projectId } = await findProject(name);
  const body = message === undefined ? {} : { comment: message };
  const { data } = await configurationRollBack({ path: { projectId, version }, body });
  if (json) printJson({ version: data.version });
  else print(`Version ${version} is published again, as version ${data.version} of the configuration.`);
  return EXIT.done;
}

async function plansOf(names: string[], options: PlanOptions): Promise<ProjectPlan[]> {
  const write: WriteOptions = {
    publish: options.publish ?? false,
    confirmMissingTexts: options.confirmMissingTexts ?? false,
    comment: options.message,
  };
  const plans: ProjectPlan[] = chosenFolders(options.folder, names).map((folder) => ({ folder, parts: [] }));
  const results = await each(plans, options.json, async ({ folder, parts }) => {
    const [first] = problemsIn(folder);
    if (first) throw new CliError(`${first.file}: ${first.problem}`);
    for (const resource of RESOURCES) {
      const wanted = readFile(folder, resource);
      if (wanted) parts.push({ resource, plan: await RESOURCE[resource].plan(folder.id, wanted, write) });
    }
  });
  for (const { item, error } of results) if (error !== undefined) item.error = error;
  return plans;
}

const hasChanges = ({ parts }: ProjectPlan): boolean =>
  parts.some(({ plan: { changes } }) => changes.length > 0);

function show(plans: readonly ProjectPlan[], json: boolean | undefined): void {
  if (json) return printJson(plans.map(asJson));
  for (const one of plans) {
    const { folder, parts, error } = one;
    if (error !== undefined) {
      print(`${styled('bold', folder.name)}\n  ${styled('red', explain(error))}`);
      continue;
    }
    const warnings = parts.flatMap(({ plan: part }) => part.warnings);
    if (!hasChanges(one) && warnings.length === 0) continue;
    print(styled('bold', folder.name));
    for (const {
      resource,
      plan: { changes },
    } of parts)
      if (changes.length > 0)
        print([`  ${resource}.json`, ...changes.map((one) => `    ${line(one)}`)].join('\n'));
    for (const warning of warnings) print(`  ${styled('yellow', warning)}`);
  }
  const changing = plans.filter(hasChanges).length;
  print(
    changing === 0
      ? 'Nothing to change.'
      : `${counted(changing, 'project')} of ${plans.length} would change.`,
  );
}

function asJson({ folder, parts, error }: ProjectPlan): Record<string, unknown> {
  return {
    id: folder.id,
    name: folder.name,
    ...(error === undefined
      ? {
          changes: parts.flatMap(({ resource, plan: { changes } }) =>
            changes.map((change) => ({ file: `${resource}.json`, ...change })),
          ),
          warnings: parts.flatMap(({ plan: part }) => part.warnings),
        }
      : { error: describe(error) }),
  };
}

async function isConfirmed({ yes, json }: { yes?: boolean; json?: boolean }): Promise<boolean> {
  if (yes) return true;
  if (json || !process.stdin.isTTY) throw new CliError('Add --yes to apply without a question.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question('Apply these changes? [y/N] ');
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** Runs a step for each item, some at the same time. One that fails does not stop the others. */
async function each<Item>(
  items: readonly Item[],
  json: boolean | undefined,
  step: (item: Item) => Promise<void>,
): Promise<{ item: Item; error?: unknown }[]> {
  const results: { item: Item; error?: unknown }[] = [];
  const waiting = items.entries();
  const isShown = json !== true && process.stderr.isTTY && items.length > 1;
  const work = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      try {
        await step(item);
        results[index] = { item };
      } catch (error) {
        results[index] = { item, error };
      }
      if (isShown) process.stderr.write(`\r${Object.keys(results).length} of ${items.length}`);
    }
  };
  await Promise.all(Array.from({ length: PROJECTS_AT_ONCE }, work));
  if (isShown) process.stderr.write('\r\u001b[K');
  return results;
}

function report(
  results: readonly { item: ProjectFolder; error?: unknown }[],
  json: boolean | undefined,
  done: string,
): Exit {
  const failed = results.filter(({ error }) => error !== undefined);
  if (json)
    printJson(
      results.map(({ item, error }) => ({ ...item, ...(error !== undefined && { error: describe(error) }) })),
    );
  else {
    for (const { item, error } of failed) note(`${styled('red', item.name)}: ${explain(error)}`);
    if (failed.length < results.length || results.length === 0) print(done);
  }
  return failed.length === 0 ? EXIT.done : EXIT.failed;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Adds the commands for configuration as files. */
export function addConfigurationCommands(
  program: Command,
  run: <Args extends unknown[]>(
    command: (...args: Args) => Exit | Promise<Exit>,
  ) => (...args: Args) => Promise<void>,
): void {
  const folder = ['-f, --folder <folder>', 'the folder of the files', 'consent'] as const;
  const project = [
    '-p, --project <project>',
    'id, name or domain; not needed with a key of one project',
  ] as const;
  const forPlan = (command: Command): Command =>
    command
      .option(...folder)
      .option('--publish', 'publish at once instead of saving a draft')
      .option('--confirm-missing-texts', 'publish languages that lack texts')
      .option('-m, --message <text>', 'a comment for the history');

  program
    .command('pull')
    .description('write the settings of projects into files')
    .argument('[project...]', 'ids, names or domains; all projects of the key without')
    .option(...folder)
    .action(run((names: string[], _: unknown, command: Command) => pull(names, command.optsWithGlobals())));
  program
    .command('validate')
    .description('check the files, without the service and without a key')
    .argument('[project...]')
    .option(...folder)
    .action(
      run((names: string[], _: unknown, command: Command) => validate(names, command.optsWithGlobals())),
    );
  forPlan(
    program
      .command('plan')
      .description('show what apply would change; exit code 2: there are changes')
      .argument('[project...]'),
  ).action(run((names: string[], _: unknown, command: Command) => plan(names, command.optsWithGlobals())));
  forPlan(program.command('apply').description('make the service like the files').argument('[project...]'))
    .option('-y, --yes', 'do not ask')
    .action(run((names: string[], _: unknown, command: Command) => apply(names, command.optsWithGlobals())));
  program
    .command('publish')
    .description('publish the draft that waits')
    .option(...project)
    .option('--confirm-missing-texts', 'publish languages that lack texts')
    .option('-m, --message <text>', 'a comment for the history')
    .action(run((_: unknown, command: Command) => publish(command.optsWithGlobals())));
  program
    .command('history')
    .description('list what was published')
    .option(...project)
    .option('--limit <number>', 'how many', '20')
    .action(run((_: unknown, command: Command) => history(command.optsWithGlobals())));
  program
    .command('roll-back')
    .description('publish an earlier version again')
    .argument('<version>', 'of consent history')
    .option(...project)
    .option('-m, --message <text>', 'a comment for the history')
    .action(
      run((version: string, _: unknown, command: Command) => rollBack(version, command.optsWithGlobals())),
    );
}
