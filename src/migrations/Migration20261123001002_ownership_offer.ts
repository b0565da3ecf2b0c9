import { Migration } from '@mikro-orm/migrations';

/** Invitations that hand the ownership over once they are accepted, and a person's own invitations (ADR 51). */
export class Migration20261123001002_ownership_offer extends Migration {
  override up(): void {
    this.addSql(`
      alter table project_invitation
        -- Whether the owner who sent it becomes an editor when it is accepted.
        add column transfers_ownership boolean not null default false
    `);
    this.addSql('create index project_invitation_email on project_invitation (email, id)');
  }

  override down(): void {
    this.addSql('delete from project_invitation where transfers_ownership');
    this.addSql('drop index project_invitation_email');
    this.addSql('alter table project_invitation drop column transfers_ownership');
  }
}
