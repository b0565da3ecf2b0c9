import { NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem } from '../../api/problem';
import { authSessionOptions } from '../../client/@tanstack/react-query.gen';
import { projectMove } from '../../client/sdk.gen';
import type { OrganizationResponse, ProjectResponse } from '../../client/types.gen';
import { FormDialog } from '../../shared/form-dialog';
import { PasswordField } from '../../shared/password-field';
import { useApiMutation } from '../../shared/use-api-mutation';
import { UsernameField } from '../../shared/username-field';
import { t } from '../../i18n/i18n';

/** Moves a project into, out of or between organizations, and says who gains and who loses access. */
export function MoveProjectDialog(props: {
  project: ProjectResponse;
  /** The project's organization; null: none. */
  source: OrganizationResponse | null;
  targets: OrganizationResponse[];
  onClose: () => void;
}) {
  const { project, source, targets, onClose } = props;
  const { data: session } = useQuery(authSessionOptions());
  const [chosen, setChosen] = useState(source ? '' : (targets[0]?.id ?? ''));
  const [password, setPassword] = useState('');
  const [needsPassword, setNeedsPassword] = useState(false);
  const target = targets.find(({ id }) => id === chosen);
  const mutation = useApiMutation({
    request: async () =>
      (
        await projectMove({
          path: { projectId: project.id },
          body: { organizationId: target?.id ?? null, ...(needsPassword && { password }) },
        })
      ).data,
    successMessage: t('organizations.moved'),
    invalidates: ['projectRead', 'projectList', 'projectStatusList', 'memberList', 'apiKeyList'],
    onSuccess: onClose,
  });
  const isOld = mutation.error instanceof ApiProblem && mutation.error.code === 'recent_sign_in_required';
  if (isOld && !needsPassword) setNeedsPassword(true);
  return (
    <FormDialog
      title={t('organizations.moveTitle', { name: project.name })}
      confirmLabel={t('organizations.move')}
      pending={mutation.isPending}
      error={isOld ? null : mutation.error}
      onClose={onClose}
      onSubmit={() => mutation.mutate(undefined)}
    >
      <NativeSelect
        label={t('organizations.moveTo')}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
        data-autofocus
        data={[
          ...(source ? [{ value: '', label: t('organizations.noOrganization') }] : []),
          ...targets.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <Text>{consequence(source, target)}</Text>
      <Text c="dimmed">{t('organizations.moveKept')}</Text>
      {needsPassword && (
        <>
          <UsernameField email={session?.user.email ?? ''} />
          <PasswordField
            label={t('signIn.password')}
            description={t('organizations.password')}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={mutation.fieldErrors['password']}
          />
        </>
      )}
    </FormDialog>
  );
}

function consequence(source: OrganizationResponse | null, target: OrganizationResponse | undefined): string {
  if (!source) return t('organizations.moveIn', { target: target?.name ?? '' });
  return target
    ? t('organizations.moveBetween', { source: source.name, target: target.name })
    : t('organizations.moveOut', { source: source.name });
}
