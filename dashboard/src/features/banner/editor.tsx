import { Alert, Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { ConfigurationDto, DraftDto, ProjectDto } from '../../client/types.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { ProblemAlert } from '../../shared/problem-alert';
import { StatusLabel } from '../../shared/status-label';
import { AbsoluteTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import { hasFieldError } from './configuration';
import { LeaveDialog } from './leave-dialog';
import { AppearanceFields } from './appearance-fields';
import { CategoryFields } from './category-fields';
import { PreviewPane } from './preview-pane';
import { PublishDialog } from './publish-dialog';
import { RuleFields } from './rule-fields';
import { type BannerPart, PARTS } from './search';
import { TextFields } from './text-fields';
import { type Editor, useEditor } from './use-editor';
import { usePreview } from './use-preview';

const route = getRouteApi('/signed-in/projects/$projectId/banner');

/** Members of the configuration that each part of the fields is about. */
const MEMBERS: Record<BannerPart, string[]> = {
  texts: ['texts', 'defaultLanguage'],
  offer: ['categories', 'services'],
  look: ['banner'],
  rules: ['defaultMode', 'regionRules', 'reconsentMonths', 'policyVersion', 'policyUrl'],
};

/** Left the fields, right the banner that they make. */
export function BannerEditor({
  project,
  configuration,
  draft,
}: {
  project: ProjectDto;
  configuration: ConfigurationDto;
  draft: DraftDto;
}) {
  const editor = useEditor(project.id, configuration, draft);
  const { form, change } = editor;
  const shown = usePreview(project.id, form);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const refusal = checkAccess(project, { role: 'editor' });
  const languages = form.texts.map((text) => text.language);
  const language = languages.includes(search.language ?? '') ? search.language : undefined;
  const written = language ?? form.defaultLanguage;
  const onLanguage = (next: string) =>
    void navigate({ search: (before) => ({ ...before, language: next }), replace: true });
  const { fields } = shown;
  const props = { projectId: project.id, form, change, fields };
  const rulesRefusal =
    refusal ??
    checkAccess(project, { feature: { open: configuration.regionRulesAvailable, tier: 'Business' } });
  return (
    <Stack gap="md">
      <Standing editor={editor} configuration={configuration} />
      <AccessFieldset refusal={refusal} projectId={project.id}>
        <EditorActions editor={editor} shown={shown} never={configuration.version === 0} />
      </AccessFieldset>
      <div className="banner-editor">
        <Tabs
          value={search.part ?? 'texts'}
          onChange={(part) =>
            void navigate({ search: (before) => ({ ...before, part: part as BannerPart }), replace: true })
          }
          keepMounted={false}
        >
          <Tabs.List>
            {PARTS.map((part) => (
              <Tabs.Tab key={part} value={part}>
                {t(`banner.tabs.${part}`)}
                {hasFieldError(fields, MEMBERS[part]) && ` (${t('banner.needsFixing')})`}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <fieldset className="disabled-part" disabled={refusal !== null}>
            <Tabs.Panel value="texts" pt="sm">
              <TextFields {...props} language={written} onLanguage={onLanguage} />
            </Tabs.Panel>
            <Tabs.Panel value="offer" pt="sm">
              <CategoryFields {...props} />
            </Tabs.Panel>
            <Tabs.Panel value="look" pt="sm">
              <AppearanceFields {...props} />
            </Tabs.Panel>
            <Tabs.Panel value="rules" pt="sm">
              <RuleFields {...props} rulesRefusal={rulesRefusal} />
            </Tabs.Panel>
          </fieldset>
        </Tabs>
        <section className="banner-preview" aria-label={t('banner.preview')}>
          <PreviewPane
            shown={shown}
            languages={languages}
            language={written}
            onLanguage={onLanguage}
            regions={form.regionRules.flatMap(({ regions }) => regions)}
          />
        </section>
      </div>
      <LeaveDialog
        dirty={editor.dirty}
        onSave={(then) => editor.save.mutate(undefined, { onSuccess: then })}
      />
    </Stack>
  );
}

/** What is published, what is only a draft, and whether another person has changed either. */
function Standing({ editor, configuration }: { editor: Editor; configuration: ConfigurationDto }) {
  const { lastPublication, version, publishFailedAt } = configuration;
  const isOut = lastPublication !== null && lastPublication.configurationVersion === version;
  return (
    <Stack gap="xs">
      <Group gap="md" role="status">
        {version === 0 ? (
          <StatusLabel status="waiting">{t('banner.neverPublished')}</StatusLabel>
        ) : isOut ? (
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

function EditorActions({
  editor,
  shown,
  never,
}: {
  editor: Editor;
  shown: ReturnType<typeof usePreview>;
  never: boolean;
}) {
  const [publishing, setPublishing] = useState(false);
  const { dirty, hasDraft, save, publish, discard, conflict } = editor;
  const refused = Object.keys(shown.fields).length > 0;
  const told = conflict ? null : (save.error ?? publish.error);
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button
          disabled={refused || conflict || !(dirty || hasDraft || never)}
          onClick={() => setPublishing(true)}
        >
          {t('banner.publish')}
        </Button>
        <Button
          variant="default"
          disabled={refused || conflict || !dirty}
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
        {refused && <Text c="dimmed">{t('banner.fixFirst')}</Text>}
      </Group>
      {!publishing && <ProblemAlert error={told} />}
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
