import {
  type FiledMail,
  filedMails,
  mailFolder,
} from '../../../src/platform/mail/infrastructure/mail-files.js';
import { OutboxDispatcher } from '../../../src/platform/outbox/application/outbox.dispatcher.js';
import type { TestService } from '../programs/service.js';
import { until } from '../until.js';

const taken = new Set<string>();

/** Processes queued mails until there is one to the address that no call has returned yet: the oldest of them. */
export function mailTo(service: Pick<TestService, 'app' | 'settings'>, to: string): Promise<FiledMail> {
  return until(`a mail to ${to}`, async () => {
    service.app.get(OutboxDispatcher, { strict: false }).requestPoll();
    const mails = await filedMails(mailFolder(service.settings.service.dataDir));
    const next = mails.toReversed().find((mail) => mail.to === to && !taken.has(mail.id));
    if (next) taken.add(next.id);
    return next;
  });
}

/** The subjects of mails to the address that no call has returned, once the queue is empty. */
export async function mailsLeft(service: TestService, to: string): Promise<string[]> {
  await until('nothing waits', async () => {
    service.app.get(OutboxDispatcher, { strict: false }).requestPoll();
    return (await service.database.query('select from outbox_message')).length === 0;
  });
  const mails = await filedMails(mailFolder(service.settings.service.dataDir));
  return mails.filter((mail) => mail.to === to && !taken.has(mail.id)).map(({ subject }) => subject);
}

/** The page and the token of the one link in a mail. */
export function linkIn({ text }: Pick<FiledMail, 'text'>): { page: string; token: string } {
  const [, page = '', token = ''] = /https?:\/\/[^/\s]+(\/[\w-]+)\?token=([\w-]+)/.exec(text) ?? [];
  return { page, token };
}
