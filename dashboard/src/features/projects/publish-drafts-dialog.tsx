import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { queryOptions, useQueries, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem } from '../../api/problem';
import { configurationSave, draftPreview, draftRead } from '../../client/sdk.gen';
import type { ProjectStatusResponse } from '../../client/types.gen';
import { Notice } from '../../shared/notice';
import { ProblemAlert } from '../../shared/problem-alert';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { ChangesList } from '../banner/changes-list';
import { type Outcome, OutcomeList, runForEach } from '../banner/draft-outcomes';
import { BannerState } from './banner-state';
import { ProjectChecklist } from './project-checklist';

const COMMENT_CHARACTERS_MAX = 500;

/** Reviews the drafts of several projects, and publishes the selected ones. */
export function PublishDraftsDialog(props: {
  drafts: readonly ProjectStatusResponse[];
  onClose: () => void;
}) {
  const { onClose } = props;
  // A published draft leaves the list of the page, and stays in this one.
  const [drafts] = useState(props.drafts);
  const [outcomes, setOutcomes] = useState<Outcome<unknown>[] | null>(null);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('projects.publishTitle')}
      size={640}
      closeButtonProps={{ 'aria-label': t('shared.close') }}
    >
      {outcomes ? (
        <OutcomeList
          label={t('projects.publishTitle')}
          outcomes={outcomes}
          done={t('projects.publishedNow')}
          onClose={onClose}
        />
      ) : (
        <DraftsReview drafts={drafts} onClose={onClose} onPublished={setOutcomes} />
      )}
    </Modal>
  );
}

function DraftsReview(props: {
  drafts: readonly ProjectStatusResponse[];
  onClose: () => void;
  onPublished: (outcomes: Outcome<unknown>[]) => void;
}) {
  const { drafts } = props;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(drafts.map(({ id }) => id)));
  const [comment, setComment] = useState('');
  const reviews = useQueries({ queries: drafts.map(({ id }) => draftReview(id)) });
  const client = useQueryClient();
  const withoutPolicy = drafts.filter(
    ({ id }, index) => chosen.has(id) && reviews[index]?.data?.draft.configuration?.policyUrl === null,
  ).length;
  const publish = useApiMutation({
    request: (projects: ProjectStatusResponse[]) =>
      runForEach(projects, async ({ id }) =>
        publishDraft(id, await client.ensureQueryData(draftReview(id)), comment.trim()),
      ),
    invalidates: ['projectStatusList', 'configurationRead', 'draftRead'],
    onSuccess: props.onPublished,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        publish.mutate(drafts.filter(({ id }) => chosen.has(id)));
      }}
    >
      <Stack gap="sm">
        <Text>{t('projects.publishText')}</Text>
        {withoutPolicy > 0 && <Notice>{t('projects.noPolicy', { count: withoutPolicy })}</Notice>}
        <ProjectChecklist
          label={t('projects.publishTitle')}
          projects={drafts}
          chosen={chosen}
          onChange={setChosen}
          state={BannerState}
          details={({ id }) => {
            const review = reviews[drafts.findIndex((draft) => draft.id === id)];
            return review && <DraftChanges review={review} isOpen={drafts.length === 1} />;
          }}
        />
        <Textarea
          label={t('banner.comment')}
          description={t('banner.commentHint')}
          maxLength={COMMENT_CHARACTERS_MAX}
          value={comment}
          // A comment is one line.
          onChange={(event) => setComment(event.currentTarget.value.replaceAll('\n', ' '))}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose}>
            {t('shared.cancel')}
          </Button>
          <Button type="submit" disabled={chosen.size === 0} loading={publish.isPending}>
            {t('projects.publishSubmit', { count: chosen.size })}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type Review = Awaited<ReturnType<typeof readReview>>;

async function readReview(projectId: string, signal: AbortSignal) {
  const path = { projectId };
  const { data: draft } = await draftRead({ path, signal });
  if (draft.configuration === null) return { draft, preview: null };
  const { data: preview } = await draftPreview({ path, body: draft.configuration, signal });
  return { draft, preview };
}

/** A draft with its changes. Publishing uses this version: a draft that has changed since is refused. */
const draftReview = (projectId: string) =>
  queryOptions({
    queryKey: ['draft-review', projectId],
    queryFn: ({ signal }) => readReview(projectId, signal),
    staleTime: Infinity,
    gcTime: 0,
  });

async function publishDraft(projectId: string, { draft }: Review, comment: string): Promise<void> {
  if (draft.configuration === null) throw new ApiProblem('version_conflict', '', 412);
  await configurationSave({
    path: { projectId },
    body: { ...draft.configuration, draftVersion: draft.version, ...(comment !== '' && { comment }) },
    headers: { 'If-Match': `"${draft.basedOn ?? 0}"` },
  });
}

function DraftChanges({
  review: { data, error, refetch },
  isOpen,
}: {
  review: { data: Review | undefined; error: Error | null; refetch: () => unknown };
  isOpen: boolean;
}) {
  if (error) return <ProblemAlert error={error} retry={() => void refetch()} />;
  if (!data) return <SkeletonRows rows={1} />;
  if (!data.preview) return <Text c="dimmed">{t('projects.draftGone')}</Text>;
  const { changes, regionRulesLeftOut } = data.preview;
  return (
    <details open={isOpen || undefined}>
      <summary>{t('banner.copy.changes', { count: changes.length })}</summary>
      {regionRulesLeftOut && <Text c="dimmed">{t('banner.rulesNotInPlan')}</Text>}
      <ChangesList changes={changes} none={t('banner.noChanges')} />
    </details>
  );
}
