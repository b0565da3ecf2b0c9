import { Migration } from '@mikro-orm/migrations';

/** Hostnames of customers on which their banner is served. */
export class Migration20261219000000_custom_domains extends Migration {
  override up(): void {
    this.addSql(`
      create table custom_domain (
        id uuid primary key,
        project_id uuid not null references project (id) on delete cascade,
        hostname text not null,
        token text not null,
        state text not null,
        state_since timestamptz not null,
        created_at timestamptz not null,
        checked_at timestamptz,
        good_at timestamptz,
        next_check_at timestamptz not null,
        method text,
        problem text,
        found text,
        caa_issuers text[],
        warned_at timestamptz,
        certificate_asked_at timestamptz,
        seen_at timestamptz,
        constraint custom_domain_state check (state in ('pending', 'verified', 'active', 'failing', 'suspended')),
        constraint custom_domain_good check (state = 'pending' or good_at is not null)
      )
    `);
    this.addSql('create unique index custom_domain_project on custom_domain (project_id, hostname)');
    // Several projects may claim a host; at most one of them has proven control.
    this.addSql(
      `create unique index custom_domain_holder on custom_domain (hostname) where state <> 'pending'`,
    );
    this.addSql('create index custom_domain_due on custom_domain (next_check_at)');
    this.addSql(`
      create table custom_domain_attempts (
        project_id uuid primary key references project (id) on delete cascade,
        day date not null,
        attempts integer not null
      )
    `);
  }
}
