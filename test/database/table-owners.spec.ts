import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EntitySchema } from '@mikro-orm/core';
import ts from 'typescript';
import { entities } from '../../src/programs/orm-options.js';

/** The module or part of the platform whose folder contains a table's entity. Only its files name the table. */
const OWNERS = new Map<string, string>();
for (const file of globSync('src/{modules,platform}/*/infrastructure/*.{entity,entities}.ts')) {
  const [, , owner = ''] = file.split('/');
  const exported: unknown[] = Object.values((await import(`../../${file}`)) as object);
  for (const each of exported)
    if (each instanceof EntitySchema && each.meta.tableName) OWNERS.set(each.meta.tableName, owner);
}
/** Halves of `delivery`, by outcome. */
const PARTITIONS = ['delivery_failed', 'delivery_settled'];
for (const table of PARTITIONS) OWNERS.set(table, 'forwarding');

/** Files about the whole database. */
const WHOLE_DATABASE = [
  /^migrations\//,
  // Who may do what with which table.
  /^platform\/database\/grants\.ts$/,
  // Copies every table, and knows which table shows that a database is in use.
  /^platform\/database\/copy\.ts$/,
  /^programs\/orm-options\.ts$/,
];

/** The SQL keywords that a table follows, and the functions of Kysely that take its name. */
const NAMED = new RegExp(
  String.raw`\b(?:from|join|into|update|using|table|only|truncate)\s+"?(${[...OWNERS.keys()].join('|')})\b(?!\s*\()`,
  'gi',
);
const TAKES_A_TABLE =
  /^(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto|using|from|(?:inner|left|right|full|cross)Join|table)$/;
const ENTITY_FILE =
  /^(?:\.\.\/)+(?:(?:modules|platform)\/)?([a-z-]+)\/infrastructure\/[\w.-]*(?:entity|entities)\.js$/;

/** Tables of other modules in a file, as `table of module`; `file` is its path below src. */
function foreignTables(file: string, text: string): string[] {
  const [first = '', second = ''] = file.split('/');
  // The scanner is another program, and its tables belong to scans.
  const own = first === 'scanner' ? 'scans' : second;
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    found.push(...tablesNamedBy(node));
    node.forEachChild(visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return [...new Set(found)].filter((name) => !name.endsWith(` of ${own}`));
}

function tablesNamedBy(node: ts.Node): string[] {
  if (ts.isTemplateExpression(node) || ts.isStringLiteralLike(node))
    return [...textOf(node).matchAll(NAMED)].map(([, table]) => ownerOf(String(table).toLowerCase()));
  if (ts.isCallExpression(node)) {
    const called = node.expression;
    const name = ts.isPropertyAccessExpression(called) ? called.name.text : called.getText();
    const [given] = node.arguments;
    if (!TAKES_A_TABLE.test(name) || !given || !ts.isStringLiteralLike(given)) return [];
    const table = given.text.split(' ')[0] ?? '';
    return OWNERS.has(table) ? [ownerOf(table)] : [];
  }
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    const module = ENTITY_FILE.exec(node.moduleSpecifier.text)?.[1];
    return module === undefined ? [] : [`entities of ${module}`];
  }
  return [];
}

/** The text of a literal; what is filled in stands as a name that is no table's. */
function textOf(node: ts.TemplateExpression | ts.StringLiteralLike): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  return node.head.text + node.templateSpans.map(({ literal }) => `$${literal.text}`).join('');
}

function ownerOf(table: string): string {
  return `${table} of ${OWNERS.get(table)}`;
}

describe('a table belongs to one module', () => {
  it('and every entity is in the list of the ORM', () => {
    const known = [...OWNERS.keys()].filter((table) => !PARTITIONS.includes(table));
    expect(known.toSorted()).toEqual(entities.map(({ meta }) => String(meta.tableName)).toSorted());
  });

  it('which alone names it', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !WHOLE_DATABASE.some((whole) => whole.test(file)),
    );
    expect(files.length).toBeGreaterThan(200);
    const foreign = files.flatMap((file) =>
      foreignTables(file, readFileSync(`src/${file}`, 'utf8')).map((name) => `${file} names ${name}`),
    );
    expect(foreign).toEqual([]);
  });

  it.each([
    ['in SQL', 'sql`delete from project where id = ${id}`', 'project of projects'],
    ['behind a fragment', 'sql`${cte} insert into "outbox_message" (topic)`', 'outbox_message of outbox'],
    [
      'in a string',
      `pool.query('select 1 from a join subscription s using (id)')`,
      'subscription of licensing',
    ],
    ['in a typed query', `em.getKysely().selectFrom('delivery as d')`, 'delivery of forwarding'],
    ['as a name', `sql.table('billing_event')`, 'billing_event of billing'],
    [
      'as an entity',
      `import { ProjectEntity } from '../../projects/infrastructure/project.entity.js';`,
      'entities of projects',
    ],
  ])('seen where a module names another one’s %s', (_, text, name) => {
    expect(foreignTables('modules/consent/application/planted.ts', text)).toEqual([name]);
  });

  it('while comments, sentences and its own tables are nobody’s business', () => {
    const text = `
      // from project
      const sentence = 'This project has no subscription.';
      sql\`select id from consent_record\`;
    `;
    expect(foreignTables('modules/consent/application/own.ts', text)).toEqual([]);
  });
});

describe('the README.md of each module', () => {
  const folders = [
    ...readdirSync('src/modules').map((name) => join('src/modules', name)),
    'src/platform/delivery',
    'src/platform/outbox',
    'src/platform/limits',
    'src/scanner',
  ];

  it.each(folders)('in %s has 10 to 40 lines and names all of its tables', (folder) => {
    const file = join(folder, 'README.md');
    expect(existsSync(file)).toBe(true);
    const text = readFileSync(file, 'utf8');
    const lines = text.trimEnd().split('\n').length;
    expect(lines).toBeGreaterThanOrEqual(10);
    expect(lines).toBeLessThanOrEqual(40);
    const module = folder.split('/').at(-1);
    const tables = [...OWNERS.keys()].filter((table) => OWNERS.get(table) === module);
    expect(tables.filter((table) => !text.includes(`\`${table}\``))).toEqual([]);
  });
});
