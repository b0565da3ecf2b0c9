import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { configurationRead } from '../../client/sdk.gen';
import type { ProjectStatusResponse } from '../../client/types.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { locale, t } from '../../i18n/i18n';
import { type Configuration, editableContent } from '../banner/configuration';
import { CopyDialog } from '../banner/copy-dialog';

/** Selects the project whose published banner is copied to others. */
export function CopyBannerDialog({
  projects,
  onClose,
}: {
  projects: readonly ProjectStatusResponse[];
  onClose: () => void;
}) {
  const sources = projects
    .filter(({ publishedAt }) => publishedAt !== null)
    .toSorted((a, b) => a.name.localeCompare(b.name, locale, { numeric: true }));
  const [chosen, setChosen] = useState(sources[0]?.id ?? '');
  const [source, setSource] = useState<{ project: { id: string }; content: Configuration } | null>(null);
  const load = useApiMutation({
    request: async (projectId: string) => {
      const { data } = await configurationRead({ path: { projectId } });
      return { project: { id: projectId }, content: editableContent(data) };
    },
    onSuccess: setSource,
  });
  if (source) return <CopyDialog {...source} onClose={onClose} />;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('projects.copyTitle')}
      closeButtonProps={{ 'aria-label': t('shared.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen !== '') load.mutate(chosen);
        }}
      >
        <Stack gap="sm">
          {sources.length === 0 ? (
            <Text>{t('projects.nothingToCopy')}</Text>
          ) : (
            <NativeSelect
              label={t('projects.copyFrom')}
              description={t('projects.copyFromHint')}
              data-autofocus
              value={chosen}
              onChange={(event) => setChosen(event.currentTarget.value)}
              data={sources.map(({ id, name, domains: [domain] }) => ({
                value: id,
                label: domain === undefined ? name : `${name} (${domain})`,
              }))}
            />
          )}
          <ProblemAlert error={load.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('shared.cancel')}
            </Button>
            <Button type="submit" disabled={chosen === ''} loading={load.isPending}>
              {t('projects.copyNext')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
