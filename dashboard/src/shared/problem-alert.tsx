import { Alert, Button, Group, Text } from '@mantine/core';
import { t } from '../i18n/i18n';
import { errorMessage } from './error-message';

/** What went wrong, in place of or beside what it concerns, with another try where that makes sense. */
export function ProblemAlert({ error, retry }: { error: unknown; retry?: () => void }) {
  if (!error) return null;
  return (
    <Alert color="red" role="alert" variant="outline">
      <Group justify="space-between">
        <Text>{errorMessage(error)}</Text>
        {retry && (
          <Button variant="default" onClick={retry}>
            {t('shared.tryAgain')}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
