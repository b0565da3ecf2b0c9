import { Alert, Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { ConfigurationDto, DraftDto, ProjectDto } from '../../client/types.gen';
import { Allowed, refusalOf } from '../../shared/allowed';
import { ProblemAlert } from '../../shared/problem-alert';
import { State } from '../../shared/state';
import { Instant } from '../../shared/when';
import { t } from '../../i18n/i18n';
import { isRefused } from './configuration';
import { Leaving } from './leaving';
import { LookFields } from './look-fields';
import { OfferFields } from './offer-fields';
import { PreviewPane } from './preview-pane';
import { PublishBox } from './publish-box';
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
  const refusal = refusalOf(project, { role: 'editor' });
  const languages = form.texts.map((text) => text.language);
  const language = languages.includes(search.language ?? '') ? search.language : undefined;
  const written = language ?? form.defaultLanguage;
  const onLanguage = (next: string) =>
    void navigate({ search: (before) => ({ ...before, language: next }), replace: true });
  const { fields } = shown;
  const props = { projectId: project.id, form, change, fields };
  const rulesRefusal =
    refusal ??
    refusalOf(project, { feature: { open: configuration.regionRulesAvailable, tier: 'Business' } });
  return (
    <Stack gap="md">
      <Standing editor={editor} configuration={configuration} />
      <Allowed refusal={refusal} projectId={project.id}>
        <Acts editor={editor} shown={shown} never={configuration.version === 0} />
      </Allowed>
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
                {isRefused(fields, MEMBERS[part]) && ` (${t('banner.needsFixing')})`}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <fieldset className="disabled-part" disabled={refusal !== null}>
            <Tabs.Panel value="texts" pt="sm">
              <TextFields {...props} language={written} onLanguage={onLanguage} />
            </Tabs.Panel>
            <Tabs.Panel value="offer" pt="sm">
              <OfferFields {...props} />
            </Tabs.Panel>
            <Tabs.Panel value="look" pt="sm">
              <LookFields {...props} />
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
      <Leaving dirty={editor.dirty} onSave={(then) => editor.save.run(undefined, { onSuccess: then })} />
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
          <State is="waiting">{t('banner.neverPublished')}</State>
        ) : isOut ? (
          <State is="good">
            <span>
              {t('banner.liveSince')} <Instant at={lastPublication.inForceFrom} />
            </span>
          </State>
        ) : (
          <State is={publishFailedAt === null ? 'waiting' : 'bad'}>
            {publishFailedAt === null ? t('banner.publishing') : t('banner.notPublished')}
          </State>
        )}
        {editor.dirty ? (
          <State is="waiting">{t('banner.unsaved')}</State>
        ) : (
          editor.hasDraft && <State is="off">{t('banner.isDraft')}</State>
        )}
      </Group>
      {publishFailedAt !== null && (
        <Alert color="red" variant="outline" role="alert">
          <Text>
            {t('banner.publishFailed')} <Instant at={publishFailedAt} />
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

function Acts({
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
          loading={save.pending}
          onClick={() => save.run(undefined)}
        >
          {t('banner.saveDraft')}
        </Button>
        {hasDraft && (
          <Button
            variant="subtle"
            color="red"
            loading={discard.pending}
            onClick={() => discard.run(undefined)}
          >
            {t('banner.discardDraft')}
          </Button>
        )}
        {refused && <Text c="dimmed">{t('banner.fixFirst')}</Text>}
      </Group>
      {!publishing && <ProblemAlert error={told} />}
      {publishing && (
        <PublishBox
          title={t('banner.publish')}
          act={t('banner.publishNow')}
          changes={{
            items: shown.isCurrent ? shown.preview?.changes : undefined,
            error: shown.error,
            retry: shown.retry,
          }}
          pending={publish.pending}
          error={publish.error}
          onClose={() => setPublishing(false)}
          onPublish={(comment) => publish.run(comment, { onSettled: () => setPublishing(false) })}
        />
      )}
    </Stack>
  );
}
