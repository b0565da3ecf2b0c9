import { Migration } from '@mikro-orm/migrations';

/** Networks that a user signed in from: they stay open while strangers guess at the account from elsewhere. */
export class Migration20261121000201_user_network extends Migration {
  override up(): void {
    this.addSql(`
      create table user_network (
        user_id uuid not null references app_user (id) on delete cascade,
        -- Keyed hash of e-mail and network: neither can be read from it, nor two users of one network be told.
        network_hash bytea not null,
        -- Of the last sign-in from there.
        seen_at timestamptz not null,
        primary key (user_id, network_hash)
      )
    `);
  }

  override down(): void {
    this.addSql('drop table user_network');
  }
}
