import { Migration } from '@mikro-orm/migrations';

const ON = '(project_id, visitor_hash, id) where visitor_hash is not null';

/**
 * The index by which a visitor's records are found, month by month and without locking out the ingest, which an index
 * of the whole table would do for as long as it is made. Partitions that are made meanwhile, or later, have it from
 * their parent. Where this breaks off it is begun again.
 */
export class Migration20261121005503_visitor_index extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    this.addSql(`create index if not exists consent_record_visitor on only consent_record ${ON}`);
    const partitions = (await this.execute(`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'consent_record'::regclass order by 1
    `)) as { name: string }[];
    for (const { name } of partitions) {
      // One that broke off leaves an index that is not valid; one that is attached already stays.
      this.addSql(`
        do $$ begin
          if not exists (select from pg_inherits where inhrelid = to_regclass('${name}_visitor')) then
            drop index if exists ${name}_visitor;
          end if;
        end $$
      `);
      this.addSql(`create index concurrently if not exists ${name}_visitor on ${name} ${ON}`);
      this.addSql(`alter index consent_record_visitor attach partition ${name}_visitor`);
    }
  }

  override down(): void {
    this.addSql('drop index consent_record_visitor');
  }
}
