// For `--import`: gives the built program one migration more, as the next version has. Its index needs a lock that no
// writer of the table holds, and its table needs grants.
import { Migration } from '@mikro-orm/migrations';
import { migrations } from '../../../dist/migrations/index.js';

const NAME = 'Migration20990101000000_later';

class LaterMigration extends Migration {
  up() {
    this.addSql('create index outbox_message_later on outbox_message (created_at)');
    this.addSql('create table later (id uuid primary key)');
  }
}

migrations.push({ name: NAME, class: LaterMigration });
