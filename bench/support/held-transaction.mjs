import { Client } from 'pg';

/**
 * Kinds of open transactions: a forgotten psql or a report only has a snapshot, pg_dump also locks
 * every table.
 */
export const HOLDERS = /** @type {const} */ (['snapshot', 'pg_dump']);

/**
 * Opens a transaction that keeps its snapshot until it is released, so that vacuum removes nothing deleted since.
 * @param {import('./database.mjs').Database} database
 * @param {(typeof HOLDERS)[number]} holder
 * @returns {Promise<{ release: () => Promise<void> }>} `release` throws if the server ended the transaction before
 */
export async function holdTransaction(database, holder) {
  const client = new Client({ connectionString: database.url, application_name: `bench ${holder}` });
  /** @type {Error | null} */
  let failure = null;
  client.on('error', (error) => {
    failure = error;
  });
  await client.connect();
  await client.query('begin isolation level repeatable read, read only');
  // The first statement takes the snapshot.
  const { rows: tables } = await client.query(
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'`,
  );
  if (holder === 'pg_dump')
    await client.query(`lock table ${tables.map(({ name }) => name).join(', ')} in access share mode`);
  return {
    release: async () => {
      if (failure) throw new Error('the held transaction was ended', { cause: failure });
      await client.query('commit');
      await client.end();
    },
  };
}
