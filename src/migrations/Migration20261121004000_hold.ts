import { Migration } from '@mikro-orm/migrations';

/**
 * What waits while a receiver is away (ADR 0024): gates of the outbox, and what forwarding knows of a receiver that
 * fails. A worker of the version before knows neither: it goes on claiming what is held, as it always did.
 */
export class Migration20261121004000_hold extends Migration {
  override up(): void {
    this.addSql(`
      create table outbox_gate (
        ordering_key uuid not null,
        topic text not null,
        -- Nothing of the topic is claimed before; while something that was let through is under way, the end of its lease.
        opens_at timestamptz not null,
        -- Messages that are let through when it opens.
        width integer not null check (width > 0),
        -- How often it has opened; what was let through bears the number.
        openings integer not null default 0,
        primary key (ordering_key, topic)
      )
    `);
    this.addSql(`
      create table forwarding_hold (
        project_id uuid primary key references project on delete cascade,
        phase text not null default 'open',
        -- Attempts in a row that failed by the receiver's fault, and when the first of them did; null where none.
        failures integer not null default 0,
        failing_since timestamptz,
        -- When the hold began, and why; null where there is none, nor one whose end is still to be told.
        held_since timestamptz,
        held_reason text,
        ended_at timestamptz,
        -- When the owners were told of it; null: not yet.
        told_at timestamptz,
        -- Probes that failed since the hold began, or since somebody asked for one.
        probes integer not null default 0,
        -- Messages that the gate lets through at once after a hold.
        width integer not null default 1,
        -- The last opening of the gate that had an answer.
        answered integer not null default 0,
        -- Records whose attempt failed for it, and records that waited and were delivered after it.
        lost integer not null default 0,
        sent integer not null default 0
      )
    `);
    this.addSql(`
      alter table forwarding_hold add constraint forwarding_hold_phase
        check (phase in ('open', 'doubted', 'held', 'easing'))
    `);
  }

  override down(): void {
    this.addSql('drop table forwarding_hold, outbox_gate');
  }
}
