import { Stack, Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ConfigurationDto, DraftDto, ProjectDto } from '../../client/types.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { t } from '../../i18n/i18n';
import { hasFieldError } from './configuration';
import { LeaveDialog } from './leave-dialog';
import { AppearanceFields } from './appearance-fields';
import { CategoryFields } from './category-fields';
import { PreviewPane } from './preview-pane';
import { RuleFields } from './rule-fields';
import { type BannerPart, PARTS } from './search';
import { TextFields } from './text-fields';
import { useEditor } from './use-editor';
import { usePreview } from './use-preview';
import { PublicationStatus } from './publication-status';
import { EditorActions } from './editor-actions';

const route = getRouteApi('/signed-in/projects/$projectId/banner');

/** Configuration members that each tab edits. */
const MEMBERS: Record<BannerPart, string[]> = {
  texts: ['texts', 'defaultLanguage'],
  offer: ['categories', 'services'],
  look: ['banner'],
  rules: ['defaultMode', 'regionRules', 'reconsentMonths', 'policyVersion', 'policyUrl'],
};

/** The fields on the left, a live preview of the banner on the right. */
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
      <PublicationStatus editor={editor} configuration={configuration} />
      <AccessFieldset refusal={refusal} projectId={project.id}>
        <EditorActions editor={editor} shown={shown} neverPublished={configuration.version === 0} />
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
