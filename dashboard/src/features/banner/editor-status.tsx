import { Group, Text } from '@mantine/core';
import type { ConfigurationResponse } from '../../client/types.gen';
import { StatusLabel } from '../../shared/status-label';
import { DateOf, RelativeTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import type { Editor } from './use-editor';
import type { usePreview } from './use-preview';

/** Whether there is a draft or the banner is live, and when the draft was saved. */
export function EditorStatus({
  editor,
  configuration,
  shown,
}: {
  editor: Editor;
  configuration: ConfigurationResponse;
  shown: ReturnType<typeof usePreview>;
}) {
  const { dirty, hasDraft, savedAt } = editor;
  const isDraft = dirty || hasDraft;
  return (
    <Group gap="xs" role="status">
      {isDraft && (
        <span className="pill">{t('banner.draft', { count: shown.preview?.changes.length ?? 0 })}</span>
      )}
      <Publication configuration={configuration} isQuiet={isDraft} />
      {isDraft && (
        <Text c="dimmed" component="span">
          {Object.keys(shown.fields).length > 0 ? (
            t('banner.fixFirst')
          ) : dirty || savedAt === null ? (
            t('banner.unsaved')
          ) : (
            <>
              {t('banner.saved')} <RelativeTime at={savedAt} />
            </>
          )}
        </Text>
      )}
    </Group>
  );
}

/** The current publication; beside a draft, only problems. */
function Publication({ configuration, isQuiet }: { configuration: ConfigurationResponse; isQuiet: boolean }) {
  const { lastPublication, version, publishFailedAt } = configuration;
  if (version === 0) return isQuiet ? null : <span className="pill">{t('banner.neverPublished')}</span>;
  if (publishFailedAt !== null) return <StatusLabel status="bad">{t('banner.notPublished')}</StatusLabel>;
  if (lastPublication?.configurationVersion !== version)
    return <StatusLabel status="waiting">{t('banner.publishing')}</StatusLabel>;
  if (isQuiet) return null;
  return (
    <StatusLabel status="good">
      <span>
        {t('banner.liveSince')} <DateOf at={lastPublication.liveSince} />
      </span>
    </StatusLabel>
  );
}
