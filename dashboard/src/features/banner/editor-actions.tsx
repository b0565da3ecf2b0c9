import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { ConfigurationResponse, ProjectResponse } from '../../client/types.gen';
import { t } from '../../i18n/i18n';
import { usePhone } from '../../shared/use-phone';
import { editableContent } from './configuration';
import { MoreActions } from './more-actions';
import type { Editor } from './use-editor';
import type { usePreview } from './use-preview';
import { ViewLink } from './view-link';

const PublishDialog = lazy(async () => ({ default: (await import('./rare-parts')).PublishDialog }));

export function EditorActions({
  project,
  configuration,
  editor,
  shown,
  disabled,
}: {
  project: ProjectResponse;
  configuration: ConfigurationResponse;
  editor: Editor;
  shown: ReturnType<typeof usePreview>;
  disabled: boolean;
}) {
  const [publishing, setPublishing] = useState(false);
  const isPhone = usePhone();
  const { form, dirty, hasDraft, save, publish, discard, conflict } = editor;
  const hasErrors = Object.keys(shown.fields).length > 0;
  const isStuck = disabled || hasErrors || conflict;
  const neverPublished = configuration.version === 0;
  const navigate = useNavigate();
  return (
    <>
      {!isPhone && (
        <ViewLink to="." variant="subtle" color="gray" search={(search) => ({ ...search, view: 'history' })}>
          {t('banner.history')}
        </ViewLink>
      )}
      {hasDraft && !isPhone && (
        <Button
          variant="default"
          disabled={disabled}
          loading={discard.isPending}
          onClick={() => discard.mutate(undefined)}
        >
          {t('banner.discardDraft')}
        </Button>
      )}
      <Button
        variant="default"
        disabled={isStuck || !dirty}
        loading={save.isPending}
        onClick={() => save.mutate(undefined)}
      >
        {t('banner.saveDraft')}
      </Button>
      <Button
        disabled={isStuck || !(dirty || hasDraft || neverPublished)}
        onClick={() => setPublishing(true)}
      >
        {t('banner.publish')}
      </Button>
      <MoreActions
        project={project}
        content={neverPublished || disabled ? null : editableContent(configuration)}
        hasHistory={isPhone}
        onDiscard={isPhone && hasDraft && !disabled ? () => discard.mutate(undefined) : null}
      />
      {publishing && (
        <Suspense>
          <PublishDialog
            title={t('banner.publish')}
            confirmLabel={t('banner.publishNow')}
            missing={shown.preview?.missingTexts ?? []}
            warning={form.policyUrl ? null : t('banner.checks.noPolicy')}
            changes={{
              items: shown.isCurrent ? shown.preview?.changes : undefined,
              error: shown.error,
              retry: shown.retry,
            }}
            pending={publish.isPending}
            error={publish.error}
            onClose={() => setPublishing(false)}
            onPublish={(comment, confirmMissingTexts) =>
              publish.mutate(
                { comment, confirmMissingTexts },
                {
                  onSuccess: () => {
                    // The next step on a new site.
                    if (neverPublished)
                      void navigate({
                        to: '/projects/$projectId/install',
                        params: { projectId: project.id },
                        ignoreBlocker: true,
                      });
                  },
                  onSettled: () => setPublishing(false),
                },
              )
            }
          />
        </Suspense>
      )}
    </>
  );
}
