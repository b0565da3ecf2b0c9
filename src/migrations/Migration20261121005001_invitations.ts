import { Migration } from '@mikro-orm/migrations';

/** Invitations to projects: a role for an address, taken up by who follows the link that is mailed there. */
export class Migration20261121005001_invitations extends Migration {
  override up(): void {
    this.addSql(`
      create table project_invitation (
        project_id uuid not null references project (id) on delete cascade,
        id uuid not null,
        -- In lower case.
        email text not null,
        role text not null check (role in ('viewer', 'editor', 'owner')),
        -- SHA-256 of the token of the newest mail: those before it open nothing.
        token_hash bytea not null unique,
        -- null: an API key of which nobody knows who made it, or a person whose account is gone.
        invited_by uuid references app_user (id) on delete set null,
        created_at timestamptz not null default now(),
        sent_at timestamptz not null default now(),
        expires_at timestamptz not null,
        primary key (project_id, id),
        unique (project_id, email)
      )
    `);
    this.addSql(
      'create index project_invitation_inviter on project_invitation (invited_by) where invited_by is not null',
    );
  }

  override down(): void {
    this.addSql('drop table project_invitation');
  }
}
