import { Alert, Anchor, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CopyableCode } from '../../shared/copyable-code';
import { sendsMail } from '../../shared/environment';
import { t } from '../../i18n/i18n';

/** Where the service shows its mails, if it does: in the demo, or before the first account. */
const INBOX = '/demo/mail';
/** Characters that no shell interprets. */
const PLAIN = /^[\w.@+-]+$/;

interface CheckInboxProps {
  email: string;
  text: string;
  /** The operator's command that prints the same link. */
  command: 'account create' | 'account reset-password';
}

/** The same for every address: only the mail shows whether it has an account. */
export function CheckInbox({ email, text, command }: CheckInboxProps) {
  const { data: isShown, isPending } = useQuery({
    queryKey: ['inbox'],
    enabled: !sendsMail(),
    retry: false,
    queryFn: async () => (await fetch(INBOX, { method: 'HEAD' })).ok,
  });
  if (!sendsMail() && isPending) return <Loader size="sm" />;
  if (!sendsMail() && !isShown) return <NoMail email={email} command={command} />;
  return (
    <Alert variant="outline" color="green" role="status" title={t('signUp.checkMail')}>
      <Text>{text}</Text>
      <Text fw={600}>{email}</Text>
      {isShown && (
        <Text mt="xs">
          {t('signUp.inboxText')} <Anchor href={INBOX}>{t('signUp.inbox')}</Anchor>
        </Text>
      )}
    </Alert>
  );
}

function NoMail({ email, command }: Omit<CheckInboxProps, 'text'>) {
  const address = PLAIN.test(email) ? email : `'${email.replaceAll("'", "'\\''")}'`;
  return (
    <Alert variant="outline" color="yellow" role="status" title={t('signUp.noMail')}>
      <Stack gap="xs">
        <Text>{t('signUp.noMailText')}</Text>
        <CopyableCode text={`npm run ops -- ${command} ${address}`} label={t('signUp.command')} />
      </Stack>
    </Alert>
  );
}
