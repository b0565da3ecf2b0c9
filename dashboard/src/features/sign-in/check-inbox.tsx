import { Alert, Anchor, Text } from '@mantine/core';
import { isProduction } from '../../shared/environment';
import { t } from '../../i18n/i18n';

/** The same for every address: only the mail shows whether it has an account. */
export function CheckInbox({ email, text }: { email: string; text: string }) {
  return (
    <Alert variant="outline" color="green" role="status" title={t('signUp.checkMail')}>
      <Text>{text}</Text>
      <Text fw={600}>{email}</Text>
      {!isProduction() && (
        <Text mt="xs">
          {t('signUp.demoInboxText')} <Anchor href="/demo/mail">{t('signUp.demoInbox')}</Anchor>
        </Text>
      )}
    </Alert>
  );
}
