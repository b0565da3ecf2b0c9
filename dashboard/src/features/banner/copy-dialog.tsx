import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { draftPreview } from '../../client/sdk.gen';
import type { ProjectStatusResponse } from '../../client/types.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { useApiMutation } from '../../shared/use-api-mutation';
import { locale, t } from '../../i18n/i18n';
import { BannerState } from '../projects/banner-state';
import { ProjectChecklist } from '../projects/project-checklist';
import { useStatuses } from '../projects/queries';
import { ChangesList } from './changes-list';
import type { Configuration } from './configuration';
import { type Copied, copyAsDraft, undoCopy } from './copy-banner';
import { type Outcome, OutcomeList, runForEach } from './draft-outcomes';

/** Saves the published banner as a draft of other projects, and takes it back. */
export function CopyDialog(props: { project: { id: string }; content: Configuration; onClose: () => void }) {
  const { project, content, onClose } = props;
  const [outcomes, setOutcomes] = useState<Outcome<Copied>[] | null>(null);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('banner.copy.title')}
      size={640}
      closeButtonProps={{ 'aria-label': t('shared.close') }}
    >
      {outcomes ? (
        <Outcomes outcomes={outcomes} onClose={onClose} />
      ) : (
        <Targets sourceId={project.id} content={content} onClose={onClose} onCopied={setOutcomes} />
      )}
    </Modal>
  );
}

function Targets(props: {
  sourceId: string;
  content: Configuration;
  onClose: () => void;
  onCopied: (outcomes: Outcome<Copied>[]) => void;
}) {
  const { sourceId, content } = props;
  const { query, projects, isLoading } = useStatuses();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const others = projects
    .filter(({ id, role }) => id !== sourceId && role !== 'viewer')
    .toSorted((a, b) => a.name.localeCompare(b.name, locale, { numeric: true }));
  const copy = useApiMutation({
    request: (targets: ProjectStatusResponse[]) =>
      runForEach(targets, (project) => copyAsDraft(project.id, content)),
    invalidates: ['projectStatusList'],
    onSuccess: props.onCopied,
  });
  return (
    <Stack gap="sm">
      <Text>{t('banner.copy.text')}</Text>
      <ProblemAlert error={query.error} retry={() => void query.refetch()} />
      {isLoading && <SkeletonRows rows={4} />}
      {!isLoading && others.length === 0 && <Text c="dimmed">{t('banner.copy.none')}</Text>}
      {others.length > 0 && (
        <ProjectChecklist
          label={t('banner.copy.title')}
          projects={others}
          chosen={chosen}
          onChange={setChosen}
          state={BannerState}
          details={(project) => chosen.has(project.id) && <Differences project={project} content={content} />}
        />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={props.onClose}>
          {t('shared.cancel')}
        </Button>
        <Button
          disabled={chosen.size === 0}
          loading={copy.isPending}
          onClick={() => copy.mutate(others.filter(({ id }) => chosen.has(id)))}
        >
          {t('banner.copy.submit', { count: chosen.size })}
        </Button>
      </Group>
    </Stack>
  );
}

/** What would change in this project. Loaded once it is opened: all projects may be selected. */
function Differences({ project, content }: { project: ProjectStatusResponse; content: Configuration }) {
  const [opened, setOpened] = useState(false);
  const preview = useQuery({
    queryKey: ['copy', project.id, content],
    queryFn: async ({ signal }) =>
      (await draftPreview({ path: { projectId: project.id }, body: content, signal })).data,
    gcTime: 0,
    enabled: opened,
  });
  return (
    <details open={opened} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary>
        {preview.data
          ? t('banner.copy.changes', { count: preview.data.changes.length })
          : t('banner.copy.showChanges')}
        {project.draftSavedAt !== null && <> · {t('banner.copy.replacesDraft')}</>}
      </summary>
      {preview.isLoading && <SkeletonRows rows={1} />}
      <ProblemAlert error={preview.error} retry={() => void preview.refetch()} />
      {preview.data?.regionRulesLeftOut && <Text c="dimmed">{t('banner.rulesNotInPlan')}</Text>}
      {preview.data && <ChangesList changes={preview.data.changes} none={t('banner.noChanges')} />}
    </details>
  );
}

function Outcomes({ outcomes, onClose }: { outcomes: Outcome<Copied>[]; onClose: () => void }) {
  const copies = outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : []));
  const undo = useApiMutation({
    request: async (all: Copied[]) => {
      for (const each of all) await undoCopy(each);
    },
    successMessage: t('banner.copy.undone'),
    invalidates: ['draftRead', 'projectStatusList'],
    onSuccess: onClose,
  });
  return (
    <Stack gap="sm">
      <ProblemAlert error={undo.error} />
      <OutcomeList
        label={t('banner.copy.title')}
        outcomes={outcomes}
        done={t('banner.copy.saved')}
        onClose={onClose}
        action={
          copies.length > 0 && (
            <Button variant="default" loading={undo.isPending} onClick={() => undo.mutate(copies)}>
              {t('banner.copy.undo')}
            </Button>
          )
        }
      />
    </Stack>
  );
}
