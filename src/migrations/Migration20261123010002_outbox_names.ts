import { Migration } from '@mikro-orm/migrations';

/** Names tables and columns as the code does. Workers of the previous version must be stopped first. */
export class Migration20261123010002_outbox_names extends Migration {
  override up(): void {
    this.addSql('alter table outbox_gate rename to claim_throttle');
    this.addSql('alter table claim_throttle rename column opens_at to next_claim_at');
    this.addSql('alter table claim_throttle rename column width to batch_limit');
    this.addSql('alter table claim_throttle rename column openings to probe_number');
    this.addSql('alter table claim_throttle rename constraint outbox_gate_pkey to claim_throttle_pkey');
    this.addSql(
      'alter table claim_throttle rename constraint outbox_gate_width_check to claim_throttle_batch_limit_check',
    );
    this.addSql('alter index outbox_message_beside_gates rename to outbox_message_unthrottled');
    this.addSql('alter table forwarding_hold rename column width to batch_limit');
    this.addSql('alter table forwarding_hold rename column answered to answered_probe');
    this.addSql('alter table forwarding_hold rename column told_at to notified_at');
    this.addSql('alter table outbox_awake rename to worker_polling');
    this.addSql('alter table worker_polling rename constraint outbox_awake_pkey to worker_polling_pkey');
    this.addSql(
      'alter table worker_polling rename constraint outbox_awake_one_check to worker_polling_one_check',
    );
  }

  override down(): void {
    this.addSql(
      'alter table worker_polling rename constraint worker_polling_one_check to outbox_awake_one_check',
    );
    this.addSql('alter table worker_polling rename constraint worker_polling_pkey to outbox_awake_pkey');
    this.addSql('alter table worker_polling rename to outbox_awake');
    this.addSql('alter table forwarding_hold rename column notified_at to told_at');
    this.addSql('alter table forwarding_hold rename column answered_probe to answered');
    this.addSql('alter table forwarding_hold rename column batch_limit to width');
    this.addSql('alter index outbox_message_unthrottled rename to outbox_message_beside_gates');
    this.addSql(
      'alter table claim_throttle rename constraint claim_throttle_batch_limit_check to outbox_gate_width_check',
    );
    this.addSql('alter table claim_throttle rename constraint claim_throttle_pkey to outbox_gate_pkey');
    this.addSql('alter table claim_throttle rename column probe_number to openings');
    this.addSql('alter table claim_throttle rename column batch_limit to width');
    this.addSql('alter table claim_throttle rename column next_claim_at to opens_at');
    this.addSql('alter table claim_throttle rename to outbox_gate');
  }
}
