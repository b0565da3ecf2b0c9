/** Rows that the server makes in one statement. */
const FILL_ROWS_MAX = 500_000;

/** The tables of `@c15t/backend`, and the rows that a benchmark writes directly. */
export class C15tDatabase {
  /** @param {import('pg').Client} client */
  constructor(client) {
    this.client = client;
  }

  /**
   * Copies of the first stored consent, each with a new subject.
   * @param {number} count
   */
  async fill(count) {
    for (let done = 0; done < count; done += FILL_ROWS_MAX) {
      const rows = [done + 1, Math.min(done + FILL_ROWS_MAX, count)];
      await this.#copy('subject', { id: `'sub_filled' || n` }, rows);
      await this.#copy('consent', { id: `'cns_' || md5(n::text)`, subjectId: `'sub_filled' || n` }, rows);
    }
  }

  /** A missing index of its schema: it looks consents up by subject with every new one. */
  async addIndex() {
    await this.client.query('create index on consent ("subjectId")');
  }

  async empty() {
    await this.client.query('truncate subject, consent cascade');
  }

  /**
   * @param {string} table
   * @param {Record<string, string>} changed SQL of the columns that differ, over `n`
   * @param {number[]} rows first and last `n`
   */
  async #copy(table, changed, rows) {
    const { rows: columns } = await this.client.query(
      `select column_name as name from information_schema.columns
       where table_schema = 'public' and table_name = $1 order by ordinal_position`,
      [table],
    );
    const names = columns.map(({ name }) => `"${name}"`).join(', ');
    const values = columns.map(({ name }) => changed[name] ?? `first."${name}"`).join(', ');
    await this.client.query(
      `insert into "${table}" (${names})
       select ${values} from (select * from "${table}" limit 1) first, generate_series($1::int, $2::int) n`,
      rows,
    );
  }
}
