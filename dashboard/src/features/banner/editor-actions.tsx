import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ProblemAlert } from '../../shared/problem-alert';
import { t } from '../../i18n/i18n';
import { PublishDialog } from './publish-dialog';
import type { Editor } from './use-editor';
import type { usePreview } from './use-preview';

export function EditorActions({
  editor,
  shown,
  neverPublished,
}: {
  editor: Editor;
  shown: ReturnType<typeof usePreview>;
  neverPublished: boolean;
}) {
  const [publishing, setPublishing] = useState(false);
  const { dirty, hasDraft, save, publish, discard, conflict } = editor;
  const hasErrors = Object.keys(shown.fields).length > 0;
  const error = conflict ? null : (save.error ?? publish.error);
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button
          disabled={hasErrors || conflict || !(dirty || hasDraft || neverPublished)}
          onClick={() => setPublishing(true)}
        >
          {t('banner.publish')}
        </Button>
        <Button
          variant="default"
          disabled={hasErrors || conflict || !dirty}
          loading={save.isPending}
          onClick={() => save.mutate(undefined)}
        >
          {t('banner.saveDraft')}
        </Button>
        {hasDraft && (
          <Button
            variant="subtle"
            color="red"
            loading={discard.isPending}
            onClick={() => discard.mutate(undefined)}
          >
            {t('banner.discardDraft')}
          </Button>
        )}
        {hasErrors && <Text c="dimmed">{t('banner.fixFirst')}</Text>}
      </Group>
      {!publishing && <ProblemAlert error={error} />}
      {publishing && (
        <PublishDialog
          title={t('banner.publish')}
          confirmLabel={t('banner.publishNow')}
          changes={{
            items: shown.isCurrent ? shown.preview?.changes : undefined,
            error: shown.error,
            retry: shown.retry,
          }}
          pending={publish.isPending}
          error={publish.error}
          onClose={() => setPublishing(false)}
          onPublish={(comment) => publish.mutate(comment, { onSettled: () => setPublishing(false) })}
        />
      )}
    </Stack>
  );
}
