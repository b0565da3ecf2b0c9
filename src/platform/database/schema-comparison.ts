import type { MikroORM } from '@mikro-orm/core';
import {
  type EntityManager,
  type IndexDef,
  type SchemaDifference,
  SqlSchemaGenerator,
  type TableDifference,
} from '@mikro-orm/postgresql';

/** The compared properties of a column: not its check constraint, comment or collation. */
const COMPARED_PROPERTIES = new Set(['type', 'nullable', 'default', 'generated', 'autoincrement']);

const REFUSAL =
  'The schema is managed by migrations only: entities cover just a part of it, so a schema created or updated from them would ' +
  'be incomplete. Run "npm run migrate".';

/**
 * The output of `migration:check` and `schema:update --dump`: the differences between database and
 * entities in tables, columns and primary keys. Entities cannot express the rest of the schema
 * (partial and block-range indexes, partitions, storage parameters) or need not (foreign keys,
 * checks): only the migrations have it, and the comparison would list it as things to drop (ADR
 * 0020). Creating, changing or dropping the schema from the entities is refused.
 */
export class SchemaComparison extends SqlSchemaGenerator {
  static override register(orm: MikroORM): void {
    orm.config.registerExtension(
      '@mikro-orm/schema-generator',
      () => new SchemaComparison(orm.em as EntityManager),
    );
  }

  override diffToSQL(
    difference: SchemaDifference,
    options: Parameters<SqlSchemaGenerator['diffToSQL']>[1],
  ): string {
    const changed = Object.entries(difference.changedTables).map(([name, table]) => [name, compared(table)]);
    return super.diffToSQL({ ...difference, changedTables: Object.fromEntries(changed) }, options);
  }

  override create(): Promise<void> {
    return Promise.reject(new Error(REFUSAL));
  }

  override update(): Promise<void> {
    return Promise.reject(new Error(REFUSAL));
  }

  override drop(): Promise<void> {
    return Promise.reject(new Error(REFUSAL));
  }

  override refresh(): Promise<void> {
    return Promise.reject(new Error(REFUSAL));
  }
}

/** The difference of a table, reduced to compared properties. */
function compared(table: TableDifference): TableDifference {
  const changedColumns = Object.entries(table.changedColumns)
    .map(([name, column]) => {
      const properties = [...column.changedProperties].filter((property) =>
        COMPARED_PROPERTIES.has(property),
      );
      return [name, { ...column, changedProperties: new Set(properties) }] as const;
    })
    .filter(([, { changedProperties }]) => changedProperties.size > 0);
  return {
    name: table.name,
    fromTable: table.fromTable,
    toTable: table.toTable,
    addedColumns: table.addedColumns,
    changedColumns: Object.fromEntries(changedColumns),
    removedColumns: table.removedColumns,
    renamedColumns: table.renamedColumns,
    // A missing primary key counts as a different one: the ORM does not report an added one.
    changedIndexes: primaryKeys({ ...table.changedIndexes, ...table.addedIndexes }),
    addedIndexes: {},
    removedIndexes: {},
    renamedIndexes: {},
    addedChecks: {},
    changedChecks: {},
    removedChecks: {},
    addedTriggers: {},
    changedTriggers: {},
    removedTriggers: {},
    addedPolicies: {},
    removedPolicies: {},
    addedForeignKeys: {},
    changedForeignKeys: {},
    removedForeignKeys: {},
  };
}

function primaryKeys(indexes: Record<string, IndexDef>): Record<string, IndexDef> {
  return Object.fromEntries(Object.entries(indexes).filter(([, { primary }]) => primary));
}
