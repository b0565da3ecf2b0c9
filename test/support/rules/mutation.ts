import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * A deliberate defect in the sources. Its place is a symbol, in the file that declares it:
 * `function`, `Class.method`, `Class.property`, `CONSTANT`. The change is one of four kinds.
 */
export type Mutation = {
  symbol: string;
  /** The end of the file's name, where several files declare such a symbol. */
  file?: string;
} & (
  | { /** The new value of a constant or a property. */ value: string }
  | { /** The new body of the function. */ body: string }
  | { /** Code inserted at the start of the function. */ first: string }
  | {
      /** The text to replace, which must occur exactly once, and its replacement. */ from: RegExp;
      to: string;
    }
);

interface Declaration {
  file: string;
  source: string;
  node: ts.Node & { name?: ts.Node; body?: ts.Node; initializer?: ts.Node };
}

/** The changed sources by file; several mutations may meet in one. `root` is the checkout. */
export function mutatedSources(mutations: Mutation[], root = '.'): Map<string, string> {
  const changed = new Map<string, string>();
  for (const mutation of mutations) {
    const declaration = declarationOf(mutation, root, changed);
    changed.set(declaration.file, applied(mutation, declaration));
  }
  return changed;
}

function applied(mutation: Mutation, { source, node }: Declaration): string {
  const { symbol } = mutation;
  const replaced = (start: number, end: number, text: string): string =>
    source.slice(0, start) + text + source.slice(end);
  if ('value' in mutation) {
    if (!node.initializer) throw new Error(`${symbol} has no value.`);
    return replaced(node.initializer.getStart(), node.initializer.end, mutation.value);
  }
  if ('from' in mutation) {
    const text = node.getText();
    const times = [...text.matchAll(new RegExp(mutation.from, `${mutation.from.flags.replace('g', '')}g`))];
    if (times.length !== 1) throw new Error(`${mutation.from} stands ${times.length} times in ${symbol}.`);
    return replaced(
      node.getStart(),
      node.end,
      text.replace(mutation.from, () => mutation.to),
    );
  }
  const body = bodyOf(node);
  if (!body) throw new Error(`${symbol} has no body.`);
  const inside = body.getStart() + 1;
  return 'first' in mutation
    ? replaced(inside, inside, ` ${mutation.first}\n`)
    : replaced(inside, body.end - 1, ` ${mutation.body} `);
}

/** The block of a function, of a method, or of the function that a constant is. */
function bodyOf(node: Declaration['node']): ts.Node | undefined {
  const { initializer } = node;
  const owner =
    initializer && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer))
      ? initializer
      : node;
  const body = (owner as { body?: ts.Node }).body;
  return body && ts.isBlock(body) ? body : undefined;
}

function declarationOf(
  { symbol, file: ending = '' }: Pick<Mutation, 'symbol' | 'file'>,
  root: string,
  changed: Map<string, string>,
): Declaration {
  const last = symbol.split('.').at(-1) ?? symbol;
  const found = sourceFiles(root).flatMap((file) => {
    if (!file.endsWith(ending)) return [];
    const source = changed.get(file) ?? readFileSync(join(root, file), 'utf8');
    if (!source.includes(last)) return [];
    const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
    return declarationsIn(tree)
      .filter(([name]) => name === symbol)
      .map(([, node]): Declaration => ({ file, source, node }));
  });
  const [only, another] = found;
  if (!only) throw new Error(`Nothing is called ${symbol} any more.`);
  if (another) throw new Error(`${symbol} is declared in ${found.map(({ file }) => file).join(' and ')}.`);
  return only;
}

/** A file's declarations outside of functions, each with its name, the class before the member. */
function declarationsIn(tree: ts.SourceFile): [string, ts.Node][] {
  return tree.statements.flatMap((statement): [string, ts.Node][] => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map((each) => [each.name.getText(), each]);
    if (ts.isFunctionDeclaration(statement) && statement.body)
      return [[statement.name?.text ?? '', statement]];
    if (!ts.isClassDeclaration(statement)) return [];
    const name = statement.name?.text ?? '';
    return statement.members.map((member) => [`${name}.${member.name?.getText() ?? 'constructor'}`, member]);
  });
}

function sourceFiles(root: string): string[] {
  return ['src', 'loader', 'dashboard/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/\.spec\.ts$|^client\//.test(name))
      .map((name) => join(folder, name)),
  );
}
