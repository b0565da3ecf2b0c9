import { Alert, Button, Group, Text } from '@mantine/core';
import { t } from '../texts/texts';
import { sentenceOf } from './sentence';

/** What went wrong, in place of or beside what it concerns, with another try where that makes sense. */
export function ProblemAlert({ error, retry }: { error: unknown; retry?: () => void }) {
  if (!error) return null;
  return (
    <Alert color="red" role="alert" variant="outline">
      <Group justify="space-between">
        <Text>{sentenceOf(error)}</Text>
        {retry && (
          <Button variant="default" onClick={retry}>
            {t.shared.tryAgain}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
