import { Migration } from '@mikro-orm/migrations';

/**
 * Finding and erasing one visitor's records. Columns without a default, or with a constant one: nothing is written
 * anew, and the version before this one goes on inserting without them.
 */
export class Migration20261121005502_erasure extends Migration {
  override up(): void {
    this.addSql(`
      alter table project
        -- The additional field that names a visitor; null: none does.
        add column visitor_reference_field text,
        -- Whether its value is kept and forwarded as a hash alone.
        add column visitor_reference_hashed boolean not null default false,
        -- 32 random bytes, made when a field is named first; null: none ever was.
        add column visitor_salt bytea
    `);
    this.addSql(`
      alter table consent_record
        -- SHA-256 of the project's salt and the value of its visitor field; null: it names none, or the record lacks it.
        add column visitor_hash bytea
    `);
    this.addSql(`
      alter table forwarding_settings
        -- Whether the receiver is told of records that are erased.
        add column forward_erasures boolean not null default false
    `);
    this.addSql(`
      create table erasure_request (
        project_id uuid not null references project (id) on delete cascade,
        id uuid not null,
        -- Of the visitor; null once nothing is left to do.
        visitor_hash bytea,
        reason text not null,
        requested_at timestamptz not null default now(),
        -- Records erased so far.
        erased bigint not null default 0,
        -- null: there is more to erase.
        finished_at timestamptz,
        primary key (project_id, id)
      )
    `);
    this.addSql(`
      create table erased_record (
        project_id uuid not null references project (id) on delete cascade,
        consent_id uuid not null,
        erased_at timestamptz not null default now(),
        primary key (project_id, consent_id)
      )
    `);
    this.addSql('create index erased_record_at on erased_record (erased_at)');
  }

  override down(): void {
    this.addSql('drop table erased_record, erasure_request');
    this.addSql('alter table forwarding_settings drop column forward_erasures');
    this.addSql('alter table consent_record drop column visitor_hash');
    this.addSql(`
      alter table project drop column visitor_reference_field, drop column visitor_reference_hashed,
        drop column visitor_salt
    `);
  }
}
