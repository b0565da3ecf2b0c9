import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { entities } from '../../src/app/entities.js';

/** Each table has one module, whose folder alone names it: in SQL, in a query of Kysely's, or as an entity. */
const OWNERS: Record<string, readonly string[]> = {
  access: [
    'account_link',
    'api_key',
    'app_user',
    'project_invitation',
    'project_member',
    'project_sign_in_policy',
    'sign_in_attempt',
    'user_account',
    'user_network',
    'user_second_factor',
    'user_session',
    'user_verification',
  ],
  audit: ['audit_event', 'security_event'],
  billing: ['billing_checkout', 'billing_customer', 'billing_event', 'billing_grant_log', 'billing_price'],
  consent: [
    'consent_record',
    'consent_rollup_audience',
    'consent_rollup_day',
    'consent_rollup_hour',
    'consent_rollup_state',
    'erased_record',
    'erasure_request',
    'visitor_erasure_hour',
    'visitor_indexing',
    'visitor_reference',
  ],
  evidence: [
    'evidence_entry',
    'evidence_key',
    'evidence_leaf',
    'evidence_log',
    'evidence_backfill',
    'sequencer_cursor',
    'evidence_past_log',
    'evidence_root_entry',
    'evidence_timestamp',
    'evidence_tile',
  ],
  'first-party': ['first_party_proxy'],
  domains: ['custom_domain', 'custom_domain_attempts'],
  // The two that follow are the halves of `delivery`, by outcome.
  forwarding: [
    'delivery',
    'delivery_failed',
    'delivery_retry',
    'delivery_settled',
    'forwarding_hold',
    'forwarding_last_failure',
    'forwarding_settings',
  ],
  licensing: ['subscription', 'tier_change'],
  outbox: ['claim_throttle', 'outbox_dead_letter', 'outbox_message', 'worker_polling'],
  projects: ['project'],
  publishing: ['configuration_draft', 'publication', 'site_configuration'],
  scans: [
    'cookie_decision',
    'scan',
    'scan_alert_choice',
    'scan_artifact',
    'scan_finding',
    'scan_finding_seen',
    'scan_host',
    'scan_host_scan',
    'scan_item',
    'scan_page',
    'scan_proof',
    'scan_schedule',
    'scan_state',
    'scanner',
    'site_item',
  ],
  visits: ['site_visit'],
};
const PARTITIONS = ['delivery_failed', 'delivery_settled'];

/** What is about the database as a whole. */
const WHOLE_DATABASE = [
  /^migrations\//,
  // Who may do what with which table.
  /^database\/grants\.ts$/,
  // Copies every table, and knows which table shows that a database is in use.
  /^database\/copy\.ts$/,
  /^app\/entities\.ts$/,
];

const TABLES = Object.entries(OWNERS).flatMap(([module, tables]) =>
  tables.map((table) => ({ module, table })),
);
/** The words of SQL before which a table stands, and the functions of Kysely that take its name. */
const NAMED = new RegExp(
  String.raw`\b(?:from|join|into|update|using|table|only|truncate)\s+"?(${TABLES.map(({ table }) => table).join('|')})\b(?!\s*\()`,
  'gi',
);
const TAKES_A_TABLE =
  /^(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto|using|from|(?:inner|left|right|full|cross)Join|table)$/;
const ENTITY_FILE = /^(?:\.\.\/)+([a-z-]+)\/infrastructure\/[\w.-]*(?:entity|entities)\.js$/;

/** What a file names of other modules, as `table of module`; `file` is its path below src. */
function foreignTables(file: string, text: string): string[] {
  const own = file.split('/')[0];
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
    return TABLES.some((known) => known.table === table) ? [ownerOf(table)] : [];
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
  return `${table} of ${TABLES.find((known) => known.table === table)?.module}`;
}

describe('a table belongs to one module', () => {
  it('and each of the schema to one that is named here', () => {
    const known = TABLES.map(({ table }) => table).filter((table) => !PARTITIONS.includes(table));
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
    expect(foreignTables('consent/application/planted.ts', text)).toEqual([name]);
  });

  it('while comments, sentences and its own tables are nobody’s business', () => {
    const text = `
      // from project
      const sentence = 'This project has no subscription.';
      sql\`select id from consent_record\`;
    `;
    expect(foreignTables('consent/application/own.ts', text)).toEqual([]);
  });
});
