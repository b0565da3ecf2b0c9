import { Alert, Text } from '@mantine/core';
import { t } from '../../texts/texts';

/** The answer to every address alike: whether it has an account is told by the mail alone. */
export function CheckMail({ email, text }: { email: string; text: string }) {
  return (
    <Alert variant="outline" color="green" role="status" title={t.signUp.checkMail}>
      <Text>{text}</Text>
      <Text fw={600}>{email}</Text>
    </Alert>
  );
}
