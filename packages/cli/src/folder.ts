import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Content, problemsOf, RESOURCES, type ResourceName } from './schemas.js';
import { CliError } from './terminal.js';

const PROJECT_FILE = 'project.json';
const NAME_CHARACTERS_MAX = 60;

/** A folder with the files of one project. */
export interface ProjectFolder {
  path: string;
  id: string;
  name: string;
}

/** The folders of projects below `root`, by name. */
function projectFolders(root: string): ProjectFolder[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(root, entry.name, PROJECT_FILE)))
    .map((entry) => {
      const path = join(root, entry.name);
      const { id, name } = readJson(join(path, PROJECT_FILE));
      if (typeof id !== 'string') throw new CliError(`${join(path, PROJECT_FILE)} has no "id".`);
      return { path, id, name: typeof name === 'string' ? name : entry.name };
    })
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** The folders of the named projects (id, name or folder), or of all. */
export function chosenFolders(root: string, wanted: readonly string[]): ProjectFolder[] {
  const all = projectFolders(root);
  if (all.length === 0) throw new CliError(`${root} has no projects. Begin with: consent pull`);
  if (wanted.length === 0) return all;
  return wanted.map((text) => {
    const found = all.find(({ path, id, name }) =>
      [id, name, path, path.split(/[\\/]/).at(-1)].includes(text),
    );
    if (!found) throw new CliError(`${root} has no project "${text}".`);
    return found;
  });
}

/** The folder of a project, made if it has none: a project keeps its folder when it is renamed. */
export function folderFor(root: string, { id, name }: { id: string; name: string }): ProjectFolder {
  const known = projectFolders(root);
  const path = known.find((folder) => folder.id === id)?.path ?? join(root, freeName(root, name, id));
  mkdirSync(path, { recursive: true });
  write(join(path, PROJECT_FILE), { id, name });
  return { path, id, name };
}

function freeName(root: string, name: string, id: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, NAME_CHARACTERS_MAX);
  if (plain === '') return id;
  return existsSync(join(root, plain)) ? `${plain}-${id}` : plain;
}

/** The content of a resource's file; undefined: there is no file, and the resource does not change. */
export function readFile(folder: ProjectFolder, resource: ResourceName): Content | undefined {
  const path = join(folder.path, `${resource}.json`);
  if (!existsSync(path)) return undefined;
  const { $schema: _, ...content } = readJson(path);
  return content;
}

export function writeFile(
  folder: ProjectFolder,
  resource: ResourceName,
  { content, schema }: { content: Content; schema: string },
): void {
  write(join(folder.path, `${resource}.json`), { $schema: schema, ...content });
}

/** The problems of all files of a project, each with its file. */
export function problemsIn(folder: ProjectFolder): { file: string; problem: string }[] {
  return RESOURCES.flatMap((resource) => {
    const file = join(folder.path, `${resource}.json`);
    try {
      const content = readFile(folder, resource);
      return content === undefined ? [] : problemsOf(resource, content).map((problem) => ({ file, problem }));
    } catch (error) {
      return [{ file, problem: (error as Error).message }];
    }
  });
}

function readJson(path: string): Content {
  const text = readFileSync(path, 'utf8');
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new CliError(`${path} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content as Content;
  throw new CliError(`${path} must be an object.`);
}

function write(path: string, content: Content): void {
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
}
