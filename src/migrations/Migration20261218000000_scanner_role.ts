import { Migration } from '@mikro-orm/migrations';

/**
 * How a scanner, whose role may not write the outbox, announces the end of a scan. Only for a scan that this very
 * transaction ended.
 */
export class Migration20261218000000_scanner_role extends Migration {
  override async up(): Promise<void> {
    const [row] = (await this.execute('select quote_ident(current_schema()) as name')) as { name: string }[];
    this.addSql(`
      create function scan_finished(p_project uuid, p_scan uuid, p_key uuid) returns void
      language plpgsql security definer set search_path = ${row?.name ?? 'public'}, pg_temp as $$
      begin
        if not exists (select from scan where project_id = p_project and id = p_scan and ended_at = now()) then
          raise exception 'scan % did not end in this transaction', p_scan using errcode = 'check_violation';
        end if;
        insert into outbox_message (part, ordering_key, project_id, topic, subject_id)
        select last_value, p_key, p_project, 'scan.finished', p_scan from outbox_open_part;
      end
      $$
    `);
    this.addSql('revoke execute on function scan_finished(uuid, uuid, uuid) from public');
  }
}
