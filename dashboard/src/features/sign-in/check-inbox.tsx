import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { CopyableCode } from '../../shared/copyable-code';
import { mailsShown } from '../../shared/environment';
import { t } from '../../i18n/i18n';

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
  if (mailsShown() === 'none') return <NoMail email={email} command={command} />;
  return (
    <Alert variant="outline" color="green" role="status" title={t('signUp.checkMail')}>
      <Text>{text}</Text>
      <Text fw={600}>{email}</Text>
      {mailsShown() === 'inbox' && (
        <Text mt="xs">
          {t('signUp.inboxText')} <Anchor href="/demo/mail">{t('signUp.inbox')}</Anchor>
        </Text>
      )}
    </Alert>
  );
}

function NoMail({ email, command }: Omit<CheckInboxProps, 'text'>) {
  const address = PLAIN.test(email) ? email : `'${email.replaceAll("'", "'\\''")}'`;
  return (
    <Alert variant="outline" color="gray" role="status" title={t('signUp.noMail')}>
      <Stack gap="xs">
        <Text>{t('signUp.noMailText')}</Text>
        <CopyableCode text={`npm run ops -- ${command} ${address}`} label={t('signUp.command')} />
      </Stack>
    </Alert>
  );
}
