import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely';

/** Builds SQL without a connection. */
const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** The text of a query or fragment without parameters, for a prepared statement. */
export function constantSql(query: RawBuilder<unknown>): string {
  const { text, values } = compileSql(query);
  if (values.length > 0) throw new Error('a constant query has no parameters; use sql.lit');
  return text;
}

/** The text and the parameters of a query, for a pool outside of the ORM. */
export function compileSql(query: RawBuilder<unknown>): { text: string; values: unknown[] } {
  const { sql, parameters } = query.compile(compiler);
  return { text: sql, values: [...parameters] };
}
