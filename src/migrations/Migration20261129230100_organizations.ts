import { Migration } from '@mikro-orm/migrations';

/** Organizations, their members and invitations, and the organization of a project. */
export class Migration20261129230100_organizations extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table organization (
        id uuid primary key,
        name text not null,
        created_at timestamptz not null default now()
      )
    `);
    this.addSql(`
      create table organization_member (
        organization_id uuid not null references organization (id) on delete cascade,
        user_id uuid not null references app_user (id) on delete cascade,
        role text not null constraint organization_member_role check (role in ('admin', 'billing', 'member')),
        -- Role on every project of the organization; null: none, or that of an admin.
        project_role text constraint organization_member_project_role
          check (project_role in ('viewer', 'editor', 'owner')),
        created_at timestamptz not null default now(),
        primary key (organization_id, user_id),
        constraint organization_member_roles check (role = 'member' or project_role is null)
      )
    `);
    this.addSql('create index organization_member_user on organization_member (user_id, organization_id)');
    this.addSql(`
      create table organization_invitation (
        organization_id uuid not null references organization (id) on delete cascade,
        id uuid not null,
        -- In lower case.
        email text not null,
        role text not null constraint organization_invitation_role check (role in ('admin', 'billing', 'member')),
        project_role text constraint organization_invitation_project_role
          check (project_role in ('viewer', 'editor', 'owner')),
        -- SHA-256 of the token in the newest mail.
        token_hash bytea not null unique,
        -- null: their account was deleted.
        invited_by uuid references app_user (id) on delete set null,
        created_at timestamptz not null default now(),
        sent_at timestamptz not null default now(),
        expires_at timestamptz not null,
        primary key (organization_id, id),
        unique (organization_id, email),
        constraint organization_invitation_roles check (role = 'member' or project_role is null)
      )
    `);
    this.addSql(`create index organization_invitation_inviter on organization_invitation (invited_by)
      where invited_by is not null`);
    this.addSql('create index organization_invitation_email on organization_invitation (email, id)');
    // Without "on delete": an organization with projects cannot be deleted.
    this.addSql('alter table project add column organization_id uuid references organization (id)');
    this.addSql(`create index project_organization on project (organization_id, id)
      where organization_id is not null`);
    // People who have their role through an organization choose, too.
    this.addSql('alter table scan_alert_choice drop constraint scan_alert_choice_project_id_user_id_fkey');
    this.addSql(`alter table scan_alert_choice
      add constraint scan_alert_choice_project_id_fkey
        foreign key (project_id) references project (id) on delete cascade,
      add constraint scan_alert_choice_user_id_fkey
        foreign key (user_id) references app_user (id) on delete cascade`);
    this.addSql('create index scan_alert_choice_user on scan_alert_choice (user_id)');
  }
}
