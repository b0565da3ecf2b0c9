import type { MailContext } from './mail-values.js';

/** Links from mails to pages of the dashboard. */
export const mailLinks = {
  signIn: ({ baseUrl }: MailContext): string => `${baseUrl}/sign-in`,
  account: ({ baseUrl }: MailContext): string => `${baseUrl}/account`,
  resetPassword: ({ baseUrl }: MailContext): string => `${baseUrl}/forgotten-password`,
  project: ({ baseUrl, projectId }: MailContext): string =>
    projectId === null ? `${baseUrl}/` : `${baseUrl}/projects/${projectId}`,
  deliveries: (context: MailContext): string =>
    context.projectId === null ? `${context.baseUrl}/` : `${mailLinks.project(context)}/deliveries`,
  events: (context: MailContext): string =>
    context.projectId === null ? `${context.baseUrl}/` : `${mailLinks.project(context)}/settings/events`,
  scan: (context: MailContext, scanId: string): string =>
    context.projectId === null ? `${context.baseUrl}/` : `${mailLinks.project(context)}/scans/${scanId}`,
  install: (context: MailContext): string =>
    context.projectId === null ? `${context.baseUrl}/` : `${mailLinks.project(context)}/install`,
  unsubscribe: ({ baseUrl }: MailContext, token: string): string => `${baseUrl}/unsubscribe?token=${token}`,
};

/** An ISO time in a readable format; other text unchanged. */
export function instantInMail(iso: string, locale: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const text = new Intl.DateTimeFormat(locale, {
    ...({ dateStyle: 'medium', timeStyle: 'short' } as const),
    timeZone: 'UTC',
  }).format(at);
  return `${text} UTC`;
}
