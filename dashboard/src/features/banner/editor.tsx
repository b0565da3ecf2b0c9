import { Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { ConfigurationResponse, DraftResponse, ProjectResponse } from '../../client/types.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { Page } from '../../shared/page';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { t } from '../../i18n/i18n';
import { EditorActions } from './editor-actions';
import { EditorAlerts } from './editor-alerts';
import { EditorForm } from './editor-form';
import { EditorStatus } from './editor-status';
import { LeaveDialog } from './leave-dialog';
import { PublisherAdsNotice } from './publisher-ads-notice';
import { ANY_VISITOR, PreviewPane, type Visitor } from './preview-pane';
import type { TextMode } from './text-mode';
import { useEditor } from './use-editor';
import { usePreview } from './use-preview';
import { ViewLink } from './view-link';

const route = getRouteApi('/signed-in/projects/$projectId/banner');

const load = () => import('./rare-parts');
const RegionDrawer = lazy(async () => ({ default: (await load()).RegionDrawer }));
const History = lazy(async () => ({ default: (await load()).History }));

/**
 * The fields on the left, a live preview of the banner on the right; or the list of publications.
 */
export function BannerEditor({
  project,
  configuration,
  draft,
}: {
  project: ProjectResponse;
  configuration: ConfigurationResponse;
  draft: DraftResponse;
}) {
  const editor = useEditor(project.id, configuration, draft);
  const { form } = editor;
  const shown = usePreview(project.id, form);
  const search = route.useSearch();
  /** The mode whose texts are being edited, which the preview then shows; null: that of the region. */
  const [mode, setMode] = useState<TextMode | null>(null);
  const [visitor, setVisitor] = useState<Visitor>(ANY_VISITOR);
  const refusal = checkAccess(project, { role: 'editor' });
  const rulesRefusal =
    refusal ??
    checkAccess(project, { feature: { open: configuration.regionRulesAvailable, tier: 'Business' } });
  const languages = form.texts.map((text) => text.language);
  const language = languages.find((each) => each === search.language) ?? form.defaultLanguage;
  const become = (changes: Partial<Visitor>): void => {
    setVisitor({ ...visitor, ...changes });
    setMode(null);
  };
  const showsHistory = search.view === 'history';
  return (
    <Page
      {...(showsHistory
        ? { title: t('banner.historyTitle'), actions: <BackToEditor /> }
        : {
            title: t('pages.banner'),
            status: <EditorStatus editor={editor} configuration={configuration} shown={shown} />,
            actions: (
              <EditorActions {...{ project, configuration, editor, shown }} disabled={refusal !== null} />
            ),
          })}
    >
      {showsHistory && (
        <Suspense fallback={<SkeletonRows rows={8} />}>
          <History project={project} />
        </Suspense>
      )}
      {/* It stays, so that a look at the history loses nothing that was typed. */}
      <Stack gap="md" display={showsHistory ? 'none' : undefined}>
        <AccessNote refusal={refusal} projectId={project.id} />
        <EditorAlerts editor={editor} configuration={configuration} />
        <PublisherAdsNotice form={form} />
        <div
          className="banner-editor"
          data-part={search.part}
          data-docked={search.rule !== undefined || undefined}
        >
          <EditorForm
            {...{ project, editor, shown, language, rulesRefusal }}
            mode={mode ?? 'opt_in'}
            onMode={setMode}
            disabled={refusal !== null}
          />
          {search.part !== 'rules' && (
            <PreviewPane {...{ shown, form, language, mode, visitor }} onVisitor={become} />
          )}
          {search.part === 'rules' && search.rule !== undefined && (
            <Suspense fallback={<SkeletonRows rows={8} />}>
              <RegionDrawer
                {...{ form, shown, language, rulesRefusal }}
                projectId={project.id}
                change={editor.change}
                fields={shown.fields}
                rule={search.rule}
                disabled={refusal !== null}
                save={
                  editor.dirty && !editor.conflict && Object.keys(shown.fields).length === 0
                    ? (then) => editor.save.mutate(undefined, { onSuccess: then })
                    : null
                }
                isSaving={editor.save.isPending}
              />
            </Suspense>
          )}
        </div>
      </Stack>
      <LeaveDialog
        dirty={editor.dirty}
        onSave={(then) => editor.save.mutate(undefined, { onSuccess: then })}
      />
    </Page>
  );
}

function BackToEditor() {
  return (
    <ViewLink to="." variant="default" search={({ view: _view, at: _at, ...search }) => search}>
      {t('banner.backToEditor')}
    </ViewLink>
  );
}
