import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { queryClient } from '../../api/query-client';
import { projectRemove } from '../../client/sdk.gen';
import { projectReadOptions } from '../../client/@tanstack/react-query.gen';
import type { ProjectResponse } from '../../client/types.gen';
import { ConfirmByNameDialog } from '../../shared/confirm-by-name-dialog';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

export function DeleteProject({ project }: { project: ProjectResponse }) {
  const [opened, dialog] = useDisclosure(false);
  const navigate = useNavigate();
  const mutation = useApiMutation({
    request: async () => (await projectRemove({ path: { projectId: project.id } })).data,
    successMessage: t('project.deleted', { name: project.name }),
    onSuccess: async () => {
      await navigate({ to: '/new-project' });
      queryClient.removeQueries({
        queryKey: projectReadOptions({ path: { projectId: project.id } }).queryKey,
      });
      await queryClient.invalidateQueries();
    },
  });
  return (
    <>
      <Button color="red" variant="outline" onClick={dialog.open}>
        {t('project.delete')}
      </Button>
      <ConfirmByNameDialog
        opened={opened}
        onClose={dialog.close}
        title={t('project.delete')}
        text={t('project.deleteText')}
        name={project.name}
        confirmLabel={t('project.deleteNow')}
        isPending={mutation.isPending}
        error={mutation.error}
        onConfirm={() => mutation.mutate(undefined)}
      />
    </>
  );
}
