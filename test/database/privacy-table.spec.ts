import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { entities } from '../../src/programs/orm-options.js';

interface Row {
  of: string;
  tables: string[];
}

/** Names of members that say that a row is about a person. */
const PERSONAL =
  /^(email|userId|password\w*|createdBy|formerCreatedBy|invitedBy|author\w*|actor\w*|operator|grantedBy|ipAddress|userAgent|customerId|visitor\w*Hash|consentId|note)$/;

/** The rows of the table "What is stored", with the database tables that each names. */
function storedRows(): Row[] {
  const [, section = ''] = readFileSync('docs/privacy.md', 'utf8').split('\n## What is stored');
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => {
    const [, , of = '', where = ''] = line.split('|').map((cell) => cell.trim());
    return { of, tables: [...where.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name) };
  });
}

const tables = entities.map(({ meta }) => ({
  name: meta.tableName,
  members: Object.keys(meta.properties),
}));

describe('docs/privacy.md, what is stored', () => {
  const rows = storedRows();

  it('names every table once, and none that does not exist', () => {
    expect(rows.flatMap((row) => row.tables).toSorted()).toEqual(tables.map(({ name }) => name).toSorted());
  });

  it('says of whom each table is that refers to people', () => {
    const personal = tables.filter(({ members }) => members.some((member) => PERSONAL.test(member)));
    const ofNoPerson = personal
      .map(({ name }) => name)
      .filter((name) => rows.some((row) => row.tables.includes(name) && row.of === '–'));
    expect(ofNoPerson).toEqual([]);
    expect(personal.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['project_invitation', 'account_link', 'publication', 'site_configuration']),
    );
  });
});
