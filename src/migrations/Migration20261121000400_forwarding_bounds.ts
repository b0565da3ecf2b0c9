import { Migration } from '@mikro-orm/migrations';

/**
 * Whether settings were ever saved, the say of the owner over `custom_endpoint`, what a project has used up of
 * a day, and why a record was not announced. All columns have defaults: the version before this one goes on
 * writing while it is replaced.
 */
export class Migration20261121000400_forwarding_bounds extends Migration {
  override up(): void {
    this.addSql(`
      alter table forwarding_settings
        -- null: nothing was saved yet, the row only serves as a lock. Rows from before count as saved.
        add column saved_at timestamptz default now(),
        -- Whether records go to the endpoint that came with their request, while there is none of the project's.
        add column allow_custom_endpoint boolean not null default false,
        -- The day (UTC) that the counts below are of; null: nothing was counted yet.
        add column usage_day date,
        add column resent_on_day int not null default 0,
        add column tested_on_day int not null default 0
    `);
    this.addSql('alter table forwarding_settings drop constraint forwarding_settings_check1');
    this.addSql(`
      alter table forwarding_settings add constraint forwarding_settings_enabled_has_target
        check (not enabled or endpoint_url is not null or allow_custom_endpoint)
    `);
    // null: the record was announced, or is older than this column. Else a code, e.g. off or tier.
    this.addSql('alter table consent_record add column unannounced text');
  }

  override down(): void {
    this.addSql('alter table consent_record drop column unannounced');
    this.addSql('alter table forwarding_settings drop constraint forwarding_settings_enabled_has_target');
    this.addSql(`
      alter table forwarding_settings
        drop column saved_at, drop column allow_custom_endpoint, drop column usage_day,
        drop column resent_on_day, drop column tested_on_day
    `);
    this.addSql(`
      alter table forwarding_settings add constraint forwarding_settings_check1
        check (not enabled or endpoint_url is not null)
    `);
  }
}
