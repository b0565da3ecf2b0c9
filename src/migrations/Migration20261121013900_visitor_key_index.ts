import { Migration } from '@mikro-orm/migrations';

const ON = '(project_id, visitor_key_hash, id) where visitor_key_hash is not null';

/**
 * The index by which the records of a visitor's key are found, made like that of Migration20261121005503: month by
 * month, concurrently, and begun again where it breaks off.
 */
export class Migration20261121013900_visitor_key_index extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    this.addSql(`create index if not exists consent_record_visitor_key on only consent_record ${ON}`);
    const partitions = (await this.execute(`
      select inhrelid::regclass::text as name, to_regclass(inhrelid::regclass::text || '_visitor_key') as made,
             exists (select from pg_inherits x where x.inhrelid =
               to_regclass(i.inhrelid::regclass::text || '_visitor_key')) as attached
      from pg_inherits i where inhparent = 'consent_record'::regclass order by 1
    `)) as { name: string; made: string | null; attached: boolean }[];
    for (const { name, made, attached } of partitions) {
      if (attached) continue;
      // One that broke off is not valid.
      if (made !== null) this.addSql(`drop index ${made}`);
      this.addSql(`create index concurrently ${name}_visitor_key on ${name} ${ON}`);
      this.addSql(`alter index consent_record_visitor_key attach partition ${name}_visitor_key`);
    }
  }

  override down(): void {
    this.addSql('drop index consent_record_visitor_key');
  }
}
