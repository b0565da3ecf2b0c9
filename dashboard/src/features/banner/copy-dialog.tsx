import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { draftReadOptions, projectListOptions } from '../../client/@tanstack/react-query.gen';
import { draftPreview } from '../../client/sdk.gen';
import type { ProjectResponse } from '../../client/types.gen';
import { errorMessage } from '../../shared/error-message';
import { ProblemAlert } from '../../shared/problem-alert';
import { searchWords } from '../../shared/search-words';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { ChangesList } from './changes-list';
import type { Configuration } from './configuration';
import { type Copied, copyAsDraft, undoCopy } from './copy-banner';
import { VisibleText } from '../../shared/visible-text';

/** The API's largest page. */
const PROJECTS_MAX = 200;

/** One project's copy, or why there is none. */
type Outcome = { project: ProjectResponse; copied: Copied } | { project: ProjectResponse; failure: string };

/** Saves the published banner as a draft of other projects, and takes it back. */
export function CopyDialog(props: { project: ProjectResponse; content: Configuration; onClose: () => void }) {
  const { project, content, onClose } = props;
  const [outcomes, setOutcomes] = useState<Outcome[] | null>(null);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('banner.copy.title')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('shared.close') }}
    >
      {outcomes ? (
        <Outcomes outcomes={outcomes} onClose={onClose} />
      ) : (
        <Targets source={project} content={content} onCopied={setOutcomes} />
      )}
    </Modal>
  );
}

function Targets(props: {
  source: ProjectResponse;
  content: Configuration;
  onCopied: (outcomes: Outcome[]) => void;
}) {
  const { source, content, onCopied } = props;
  const query = useQuery(projectListOptions({ query: { limit: PROJECTS_MAX } }));
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const others = (query.data?.items ?? []).filter(({ id, role }) => id !== source.id && role !== 'viewer');
  const matches = searchWords(search);
  const found = others.filter(({ name, domains }) => matches(name, ...domains));
  const copy = useApiMutation({
    // One after another: each is complete or not begun.
    request: async (projects: ProjectResponse[]) => {
      const outcomes: Outcome[] = [];
      for (const project of projects) {
        outcomes.push(
          await copyAsDraft(project, content).then(
            (copied) => ({ project, copied }),
            (error: unknown) => ({ project, failure: errorMessage(error) }),
          ),
        );
      }
      return outcomes;
    },
    onSuccess: onCopied,
  });
  const toggle = (id: string, isOn: boolean) =>
    setChosen(new Set(isOn ? [...chosen, id] : [...chosen].filter((each) => each !== id)));
  return (
    <Stack gap="sm">
      <Text>{t('banner.copy.text')}</Text>
      <TextInput
        label={t('banner.copy.search')}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        data-autofocus
      />
      <ProblemAlert error={query.error} retry={() => void query.refetch()} />
      {query.isPending && <SkeletonRows rows={4} />}
      {query.isSuccess && found.length === 0 && (
        <Text c="dimmed">{t(others.length === 0 ? 'banner.copy.none' : 'banner.copy.noMatch')}</Text>
      )}
      <Stack gap="xs" component="ul" className="plain-list">
        {found.map((project) => (
          <li key={project.id}>
            <Checkbox
              label={<VisibleText text={project.name} />}
              checked={chosen.has(project.id)}
              onChange={(event) => toggle(project.id, event.currentTarget.checked)}
            />
            {chosen.has(project.id) && <Differences project={project} content={content} />}
          </li>
        ))}
      </Stack>
      <Group justify="flex-end">
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

/** What would change in this project. */
function Differences({ project, content }: { project: ProjectResponse; content: Configuration }) {
  const path = { projectId: project.id };
  const preview = useQuery({
    queryKey: ['copy', project.id, content],
    queryFn: async ({ signal }) => (await draftPreview({ path, body: content, signal })).data,
    gcTime: 0,
  });
  const draft = useQuery({ ...draftReadOptions({ path }), gcTime: 0 });
  if (preview.isPending) return <SkeletonRows rows={1} />;
  return (
    <Stack gap={4} ml={28} mt={4}>
      <ProblemAlert error={preview.error} retry={() => void preview.refetch()} />
      {draft.data?.configuration && <Text c="dimmed">{t('banner.copy.replacesDraft')}</Text>}
      {preview.data?.regionRulesLeftOut && <Text c="dimmed">{t('banner.rulesNotInPlan')}</Text>}
      {preview.data && (
        <details>
          <summary>{t('banner.copy.changes', { count: preview.data.changes.length })}</summary>
          <ChangesList changes={preview.data.changes} none={t('banner.noChanges')} />
        </details>
      )}
    </Stack>
  );
}

function Outcomes({ outcomes, onClose }: { outcomes: Outcome[]; onClose: () => void }) {
  const copies = outcomes.flatMap((outcome) => ('copied' in outcome ? [outcome.copied] : []));
  const undo = useApiMutation({
    request: async (all: Copied[]) => {
      for (const each of all) await undoCopy(each);
    },
    successMessage: t('banner.copy.undone'),
    invalidates: ['draftRead'],
    onSuccess: onClose,
  });
  return (
    <Stack gap="sm">
      <Stack gap="xs" component="ul" className="plain-list" aria-label={t('banner.copy.title')}>
        {outcomes.map((outcome) => (
          <li key={outcome.project.id}>
            <Link to="/projects/$projectId/banner" params={{ projectId: outcome.project.id }}>
              <VisibleText text={outcome.project.name} />
            </Link>{' '}
            <Text component="span" c={'failure' in outcome ? 'red' : 'dimmed'}>
              {'failure' in outcome ? outcome.failure : t('banner.copy.saved')}
            </Text>
          </li>
        ))}
      </Stack>
      <ProblemAlert error={undo.error} />
      <Group justify="flex-end">
        {copies.length > 0 && (
          <Button variant="default" loading={undo.isPending} onClick={() => undo.mutate(copies)}>
            {t('banner.copy.undo')}
          </Button>
        )}
        <Button onClick={onClose}>{t('shared.close')}</Button>
      </Group>
    </Stack>
  );
}
