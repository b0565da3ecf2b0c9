import { Stack, Tabs, VisuallyHidden } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import type { ProjectResponse } from '../../client/types.gen';
import type { AccessDenial } from '../../shared/access';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { t } from '../../i18n/i18n';
import { partOfField } from './configuration';
import { LanguageChips } from './language-chips';
import { type BannerPart, PARTS } from './search';
import { TextFields } from './text-fields';
import type { TextMode } from './text-mode';
import type { Editor } from './use-editor';
import { usePresets } from './use-presets';
import type { usePreview } from './use-preview';

const load = () => import('./rare-parts');
const AppearanceFields = lazy(async () => ({ default: (await load()).AppearanceFields }));
const BlockingCode = lazy(async () => ({ default: (await load()).BlockingCode }));
const BlockingFields = lazy(async () => ({ default: (await load()).BlockingFields }));
const CategoryFields = lazy(async () => ({ default: (await load()).CategoryFields }));
const RuleFields = lazy(async () => ({ default: (await load()).RuleFields }));
const SignalFields = lazy(async () => ({ default: (await load()).SignalFields }));

const route = getRouteApi('/signed-in/projects/$projectId/banner');

interface EditorFormProps {
  project: ProjectResponse;
  editor: Editor;
  shown: ReturnType<typeof usePreview>;
  language: string;
  mode: TextMode;
  onMode: (mode: TextMode) => void;
  rulesRefusal: AccessDenial;
  disabled: boolean;
}

/** What can be edited, in tabs. */
export function EditorForm(props: EditorFormProps) {
  const { project, editor, shown, language, mode, onMode, rulesRefusal, disabled } = props;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const presets = usePresets(project.id, editor.form.texts)?.texts ?? [];
  const { fields } = shown;
  const shared = { projectId: project.id, form: editor.form, change: editor.change, fields };
  const written = { ...shared, language, presets };
  const faulty = new Set(Object.keys(fields).map(partOfField));
  const chips = (
    <LanguageChips
      {...written}
      onLanguage={(next) =>
        void navigate({ search: (before) => ({ ...before, language: next }), replace: true })
      }
    />
  );
  return (
    <Tabs
      className="card banner-form"
      value={search.part ?? 'texts'}
      onChange={(part) =>
        void navigate({ search: (before) => ({ ...before, part: part as BannerPart }), replace: true })
      }
      keepMounted={false}
    >
      <Tabs.List>
        {PARTS.map((part) => (
          <Tabs.Tab key={part} value={part} data-faulty={faulty.has(part) || undefined}>
            {t(`banner.tabs.${part}`)}
            {faulty.has(part) && <VisuallyHidden> ({t('banner.needsFixing')})</VisuallyHidden>}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <EditedPart part="texts" disabled={disabled}>
        {chips}
        <TextFields {...written} mode={mode} onMode={onMode} preview={shown.preview} />
      </EditedPart>
      <EditedPart part="offer" disabled={disabled}>
        {chips}
        <CategoryFields {...written} />
      </EditedPart>
      <EditedPart part="look" disabled={disabled}>
        <AppearanceFields {...shared} />
      </EditedPart>
      <EditedPart part="rules" disabled={disabled}>
        <RuleFields {...shared} rulesRefusal={rulesRefusal} />
      </EditedPart>
      <EditedPart part="blocking" disabled={disabled} copied={<BlockingCode projectId={project.id} />}>
        <BlockingFields {...shared} />
      </EditedPart>
      <EditedPart part="signals" disabled={disabled}>
        <SignalFields {...shared} />
      </EditedPart>
    </Tabs>
  );
}

interface EditedPartProps {
  part: BannerPart;
  disabled: boolean;
  /** Below the fields, for people who may not edit them too. */
  copied?: ReactNode;
  children: ReactNode;
}

function EditedPart({ part, disabled, copied, children }: EditedPartProps) {
  return (
    <Tabs.Panel value={part}>
      <Suspense fallback={<SkeletonRows rows={6} />}>
        <Stack gap="sm">
          <fieldset className="disabled-part" disabled={disabled}>
            <Stack gap="sm">{children}</Stack>
          </fieldset>
          {copied}
        </Stack>
      </Suspense>
    </Tabs.Panel>
  );
}
