import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ConfigurationResponse } from '../../client/types.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { AbsoluteTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import type { Editor } from './use-editor';

/** What keeps the draft from being saved, or the saved version from being published. */
export function EditorAlerts({
  editor,
  configuration: { publishFailedAt },
}: {
  editor: Editor;
  configuration: ConfigurationResponse;
}) {
  return (
    <>
      {publishFailedAt !== null && (
        <Alert color="red" variant="outline" role="alert">
          <Text>
            {t('banner.publishFailed')} <AbsoluteTime at={publishFailedAt} />
          </Text>
        </Alert>
      )}
      {editor.conflict && (
        <Alert color="yellow" variant="outline" role="alert">
          <Stack gap="xs" align="flex-start">
            <Text>{t('banner.conflict')}</Text>
            <Group gap="xs">
              <Button variant="default" onClick={() => void editor.loadTheirs()}>
                {t('banner.discardMine')}
              </Button>
              <Button variant="default" onClick={() => void editor.keepMine()}>
                {t('banner.overwriteTheirs')}
              </Button>
            </Group>
          </Stack>
        </Alert>
      )}
      {!editor.conflict && !editor.publish.isPending && (
        <ProblemAlert error={editor.save.error ?? editor.publish.error} />
      )}
    </>
  );
}
