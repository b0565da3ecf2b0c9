import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ConfigurationDto } from '../../client/types.gen';
import { StatusLabel } from '../../shared/status-label';
import { AbsoluteTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import type { Editor } from './use-editor';

/** Whether the banner is live, has unpublished changes, or conflicts with changes by someone else. */
export function PublicationStatus({
  editor,
  configuration,
}: {
  editor: Editor;
  configuration: ConfigurationDto;
}) {
  const { lastPublication, version, publishFailedAt } = configuration;
  const isLive = lastPublication !== null && lastPublication.configurationVersion === version;
  return (
    <Stack gap="xs">
      <Group gap="md" role="status">
        {version === 0 ? (
          <StatusLabel status="waiting">{t('banner.neverPublished')}</StatusLabel>
        ) : isLive ? (
          <StatusLabel status="good">
            <span>
              {t('banner.liveSince')} <AbsoluteTime at={lastPublication.inForceFrom} />
            </span>
          </StatusLabel>
        ) : (
          <StatusLabel status={publishFailedAt === null ? 'waiting' : 'bad'}>
            {publishFailedAt === null ? t('banner.publishing') : t('banner.notPublished')}
          </StatusLabel>
        )}
        {editor.dirty ? (
          <StatusLabel status="waiting">{t('banner.unsaved')}</StatusLabel>
        ) : (
          editor.hasDraft && <StatusLabel status="off">{t('banner.isDraft')}</StatusLabel>
        )}
      </Group>
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
    </Stack>
  );
}
