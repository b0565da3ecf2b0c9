import { Migration } from '@mikro-orm/migrations';

/** Block ranges in the order in which rows were written: a few pages, and hardly anything for each insert. */
const USING = 'using brin (stored_xid) with (pages_per_range = 16, autosummarize = on)';

/**
 * The index by which records are sequenced, made like that of Migration20261121005503: month by month, concurrently, and
 * begun again where it breaks off.
 */
export class Migration20261123003002_stored_xid_index extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    this.addSql('create index if not exists erased_record_xid on erased_record (stored_xid)');
    this.addSql(`create index if not exists consent_record_stored_xid on only consent_record ${USING}`);
    const partitions = (await this.execute(`
      select inhrelid::regclass::text as name, to_regclass(inhrelid::regclass::text || '_stored_xid') as made,
             exists (select from pg_inherits x where x.inhrelid =
               to_regclass(i.inhrelid::regclass::text || '_stored_xid')) as attached
      from pg_inherits i where inhparent = 'consent_record'::regclass order by 1
    `)) as { name: string; made: string | null; attached: boolean }[];
    for (const { name, made, attached } of partitions) {
      if (attached) continue;
      // One that broke off is not valid.
      if (made !== null) this.addSql(`drop index ${made}`);
      this.addSql(`create index concurrently ${name}_stored_xid on ${name} ${USING}`);
      this.addSql(`alter index consent_record_stored_xid attach partition ${name}_stored_xid`);
    }
  }

  override down(): void {
    this.addSql('drop index consent_record_stored_xid');
    this.addSql('drop index erased_record_xid');
  }
}
