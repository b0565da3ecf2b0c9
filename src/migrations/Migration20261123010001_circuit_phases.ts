import { Migration } from '@mikro-orm/migrations';

/**
 * Names the phases of a hold after the states of a circuit breaker. Until now `open` meant a closed circuit. A worker of
 * the previous version must be stopped first: it writes the old values.
 */
export class Migration20261123010001_circuit_phases extends Migration {
  override up(): void {
    this.addSql('alter table forwarding_hold drop constraint forwarding_hold_phase');
    this.addSql(`
      update forwarding_hold
      set phase = case phase
        when 'open' then 'closed' when 'doubted' then 'suspect' when 'held' then 'open' else 'half_open'
      end
    `);
    this.addSql("alter table forwarding_hold alter column phase set default 'closed'");
    this.addSql(`
      alter table forwarding_hold add constraint forwarding_hold_phase
        check (phase in ('closed', 'suspect', 'open', 'half_open'))
    `);
  }

  override down(): void {
    this.addSql('alter table forwarding_hold drop constraint forwarding_hold_phase');
    this.addSql(`
      update forwarding_hold
      set phase = case phase
        when 'closed' then 'open' when 'suspect' then 'doubted' when 'open' then 'held' else 'easing'
      end
    `);
    this.addSql("alter table forwarding_hold alter column phase set default 'open'");
    this.addSql(`
      alter table forwarding_hold add constraint forwarding_hold_phase
        check (phase in ('open', 'doubted', 'held', 'easing'))
    `);
  }
}
