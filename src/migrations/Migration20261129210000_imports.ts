import { Migration } from '@mikro-orm/migrations';

/** Imports of consents from other products (src/modules/imports). */
export class Migration20261129210000_imports extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table consent_import (
        project_id uuid not null references project (id) on delete cascade,
        id uuid not null,
        profile text not null,
        file_name text not null,
        -- Bytes of the file, as sent.
        size bigint not null,
        state text not null constraint consent_import_state check
          (state in ('uploading', 'checking', 'checked', 'running', 'finished', 'failed', 'canceled')),
        -- Their categories and services by name, and what each is here.
        mapping jsonb not null default '{}',
        forward boolean not null default false,
        -- SHA-256 of the file in hex; null: not all of it was read yet.
        sha256 text,
        -- The key that encrypts the parts, encrypted by a key of SECRET_KEYS; null: the files are deleted.
        key_ciphertext bytea,
        key_id text,
        -- Position in the file, counts and samples. Written in the transaction of each batch.
        progress jsonb,
        rows_read bigint not null default 0,
        stored bigint not null default 0,
        repeated bigint not null default 0,
        refused bigint not null default 0,
        -- Why it failed: a code and a sentence; null: it did not.
        failure jsonb,
        created_at timestamptz not null default now(),
        -- The first start that stores records; null: none yet.
        started_at timestamptz,
        ended_at timestamptz,
        primary key (project_id, id),
        constraint consent_import_key check ((key_ciphertext is null) = (key_id is null))
      ) with (fillfactor = 70)
    `);
    // A project has one import that has not ended.
    this.addSql(`create unique index consent_import_open on consent_import (project_id)
      where state in ('uploading', 'checking', 'checked', 'running')`);
    this.addSql(
      `create index consent_import_files on consent_import (coalesce(ended_at, created_at)) where key_id is not null`,
    );
    this.addSql(`
      create table consent_import_part (
        project_id uuid not null,
        import_id uuid not null,
        -- From 1.
        number integer not null,
        sha256 text not null,
        stored_at timestamptz not null default now(),
        primary key (project_id, import_id, number),
        foreign key (project_id, import_id) references consent_import (project_id, id) on delete cascade
      )
    `);
    // null: the record was collected by the service itself.
    this.addSql('alter table consent_record add column import_id uuid');
    // Its id in the product from which it was imported.
    this.addSql('alter table consent_record add column original_id text');
    this.addSql(`create index consent_record_original on consent_record (project_id, original_id)
      where original_id is not null`);
  }
}
