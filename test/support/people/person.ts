import type { BrowserContext } from 'playwright-core';
import { filedMails, mailFolder } from '../../../src/platform/mail/infrastructure/mail-files.js';
import type { LoneService } from '../programs/processes.js';
import { until } from '../until.js';
import { PASSWORD } from './user.js';

/** Signs a person up with `PASSWORD` and confirms their address through the pages; this browser then has the session. */
export async function signUpIn(
  context: BrowserContext,
  service: LoneService,
  { email, name }: { email: string; name: string },
): Promise<void> {
  const post = (path: string, data: object) =>
    context.request.post(`${service.baseUrl}/v1/auth${path}`, { data });
  await post('/sign-up/email', { email, password: PASSWORD, name });
  const token = new URL(await linkMailedTo(service, email)).searchParams.get('token');
  const confirmed = await post('/confirm-email', { token, password: PASSWORD });
  if (!confirmed.ok())
    throw new Error(`The sign-up of ${email} answered ${confirmed.status()}: ${await confirmed.text()}`);
}

/** The link to a page in the newest mail to an address that has one; mails wait in files where no server takes them. */
export function linkMailedTo(service: LoneService, to: string, path = '/confirm-email'): Promise<string> {
  return until(`a mail to ${to}`, async () => {
    const mails = await filedMails(mailFolder(service.dataDir));
    const newest = mails.find((mail) => mail.to === to && mail.text.includes(`${path}?token=`));
    return newest && /https?:\/\/\S+\?token=[\w-]+/.exec(newest.text)?.[0];
  });
}
